"""Scenarios of active connections beside others that are idle or slow."""

from . import load, processes
from .hits import Hit
from .scenario import measured


class BesideIdle(Hit):
    """Hits while `IDLE_CONNECTIONS` connections, each answered once, ask for nothing."""

    def prepare(self, place, server):
        place.require_files(place.settings.idle_connections + 1_000)
        super().prepare(place, server)

    def measure(self, place, server):
        count, pid = place.settings.idle_connections, server.process.pid
        # A short run first: what the active connections need is not the idle ones' share.
        load.client(place, server.port, server.target(self.path), place.settings.connections, 10_000)
        before = processes.resident_bytes(pid)
        with load.idle_connections(server, self.path, count) as held:
            processes.settle(pid)
            growth = processes.resident_bytes(pid) - before
            sample = super().measure(place, server)
            closed = load.closed(held)
        return sample | {"resident KB an idle connection": growth / count / 1024, "idle connections closed": closed}


class BesideSlow(Hit):
    """Hits while slow readers take a picture of 1.9 MB at 20 KB/s each."""

    slow, bytes_per_second, large = 200, 20_000, "1900k.png"

    def prepare(self, place, server):
        super().prepare(place, server)
        server.get(self.large)

    def measure(self, place, server):
        before = processes.resident_bytes(server.process.pid)
        with load.SlowReaders(server, self.large, self.slow, self.bytes_per_second) as readers:
            # First each server fills the kernel's send buffers, which is not what this is about.
            processes.settle(server.process.pid, limit=5)
            sample = measured(server, lambda: load.wrk(place, server.url(self.path)))
            growth = processes.resident_bytes(server.process.pid) - before
        return sample | {"resident KB a slow reader": growth / self.slow / 1024,
                         "bytes/s of a slow reader": readers.bytes_per_second / self.slow,
                         "slow readers cut off": readers.dropped}


BESIDE = [
    BesideIdle("idle", "beside idle connections, 1 KB", "1k.png", options={"maxConnections": 15_000}),
    BesideSlow("slow-readers", "beside 200 slow readers, 20 KB", "20k.png"),
]
