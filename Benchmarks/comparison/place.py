"""Where the benchmarks happen: settings, cores, a temporary directory with the pictures, and the origin."""

import dataclasses
import os
import resource
import shutil
import subprocess
import tempfile
import time

from . import load, processes
from .processes import Failure, Skip
from .servers import StaticOrigin

PICTURES = {"1k.png": 1_000, "20k.png": 20_000, "200k.png": 200_000, "1900k.png": 1_900_000}


@dataclasses.dataclass
class Settings:
    """What the environment says."""

    program: str
    seconds: int
    rounds: int
    connections: int
    latency_rate: int
    miss_requests: int
    idle_connections: int
    memory_objects: int
    disk_objects: int

    @classmethod
    def from_environment(cls, root):
        """`root` is the repository: without PROGRAM its release build is measured."""
        def number(name, default):
            return int(os.environ.get(name) or default)

        return cls(
            program=os.path.abspath(os.environ.get("PROGRAM") or _release_build(root)),
            seconds=number("SECONDS_PER_RUN", 5), rounds=number("ROUNDS", 3), connections=number("CONNECTIONS", 64),
            latency_rate=number("LATENCY_RATE", 10_000), miss_requests=number("MISS_REQUESTS", 5_000),
            idle_connections=number("IDLE_CONNECTIONS", 10_000), memory_objects=number("MEMORY_OBJECTS", 500_000),
            disk_objects=number("DISK_OBJECTS", 200_000))


def _release_build(root):
    swift = os.environ.get("SWIFT", "swift")
    arguments = [swift, "build", "-c", "release", "--static-swift-stdlib", "--show-bin-path"]
    folder = subprocess.run(arguments, cwd=root, capture_output=True, text=True, check=True).stdout.strip()
    return os.path.join(folder, "imagestore")


class Place:
    """Lasts for all scenarios; leaves nothing behind."""

    def __init__(self, settings):
        if not os.access(settings.program, os.X_OK):
            raise Failure(f"{settings.program} is not there; make build makes it")
        self.settings, self.origin = settings, None
        self._numbers, self._folders = 0, 0
        self._choose_cores()
        _raise_file_limit()
        self.root = tempfile.mkdtemp(prefix="imagestore-bench-")
        os.chmod(self.root, 0o755)
        self.pictures = os.path.join(self.root, "pictures")

    def __enter__(self):
        try:
            self._draw()
            self.client = load.compiled(self.root, "client")
            self.floor = load.compiled(self.root, "floor", "-levent_core")
            self.origin = StaticOrigin(self, None, {}).start(self.load_core)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        processes.stop_all()
        shutil.rmtree(self.root, ignore_errors=True)

    def _choose_cores(self):
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) < 2:
            raise Failure("one core: servers and load would take each other's time")
        self.server_core, self.load_core = str(cores[0]), str(cores[1])
        self.cores = {"server": self.server_core, "all": f"{cores[0]},{cores[1]}"}
        os.sched_setaffinity(0, {cores[1]})

    def _draw(self):
        """Pictures: a PNG head, then noise. Old, so that no cache thinks they change soon."""
        os.mkdir(self.pictures)
        old = time.time() - 10 * 86_400
        for name, size in PICTURES.items():
            path = os.path.join(self.pictures, name)
            with open(path, "wb") as file:
                file.write(b"\x89PNG\r\n\x1a\n" + os.urandom(size - 8))
            os.utime(path, (old, old))

    def folder(self, name):
        """A new directory."""
        self._folders += 1
        path = os.path.join(self.root, f"{self._folders}-{name}")
        os.mkdir(path)
        return path

    def numbers(self, count):
        """The first of `count` numbers that no URL had before."""
        first = self._numbers + 1
        self._numbers += count
        return first

    def require_files(self, count):
        """Skips where a process may not have `count` descriptors open."""
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if limit < count:
            raise Skip(f"{count:,} open files are needed, the hard limit is {limit:,} (ulimit -Hn)")


def _raise_file_limit():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 100_000 if hard == resource.RLIM_INFINITY else min(hard, 100_000)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
