"""What all scenarios share: servers started side by side, rounds A B C A B C, one sample a server and round."""

import sys

from . import processes
from .processes import Failure, Skip
from .servers import KINDS

EVERYONE = ("ours", "nginx", "varnish")


class Scenario:
    """One comparison. A subclass says in `measure` what is done and returns a sample.

    A sample is a dictionary: `rate` (requests a second), `cpu` (µs a request) and `p99` (ms) go into the table, and
    whatever else it holds into the table of further measures, under its name.
    """

    # Not None where one run does all that there is to do.
    rounds = None

    def __init__(self, name, title, subjects=EVERYONE, options=None):
        self.name, self.title, self.subjects, self.options = name, title, subjects, options or {}
        self.samples, self.notes = {}, []

    def origin(self, place):
        """The port of the origin."""
        return place.origin.port

    def prepare(self, place, server):
        """Brings `server` to the state in which it is measured."""

    def measure(self, place, server):
        """One run; returns its sample."""
        raise NotImplementedError

    def run(self, place):
        """All rounds. A server that fails is noted and left out; the others go on."""
        servers = []
        try:
            origin = self.origin(place)
            for subject in self.subjects:
                self._attempt(subject, lambda: servers.append(self._started(place, KINDS[subject], origin)))
            for number in range(self.rounds or place.settings.rounds):
                for server in list(servers):
                    if not self._attempt(server.name, lambda: self._sample(place, server, number)):
                        servers.remove(server)
                        server.stop()
        finally:
            for server in servers:
                server.stop()

    def _started(self, place, kind, origin):
        server = kind(place, origin, self.options)
        try:
            server.start(place.cores[kind.cores])
            self.prepare(place, server)
        except BaseException:
            server.stop()
            raise
        return server

    def _sample(self, place, server, number):
        sample = self.measure(place, server)
        self.samples.setdefault(server.name, []).append(sample)
        text = ", ".join(f"{name} {value:,.6g}" for name, value in sample.items())
        print(f"{self.name}, round {number + 1}, {server.name}: {text}", file=sys.stderr)

    def _attempt(self, subject, action):
        try:
            action()
            return True
        except Skip as reason:
            self._note(f"{self.name}, {subject}: skipped, {reason}")
        except (Failure, OSError) as reason:
            self._note(f"{self.name}, {subject}: FAILED, {reason}")
            self.samples.pop(subject, None)
        return False

    def _note(self, text):
        self.notes.append(text)
        print(text, file=sys.stderr)

    @property
    def failed(self):
        """Whether a server gave no honest figure."""
        return any("FAILED" in note for note in self.notes)


def measured(server, load, settled=False):
    """Runs `load` and returns its sample with the CPU time that the server took for it.

    `settled` also counts what the server does after its last answer, such as writes to disk.
    """
    if settled:
        processes.settle(server.process.pid)
    before = processes.cpu_times(server.process.pid)
    report = load()
    if settled:
        processes.settle(server.process.pid)
    seconds = processes.cpu_between(before, processes.cpu_times(server.process.pid))
    if report["failures"] or not report["requests"]:
        raise Failure(f"{report['failures']} failures beside {report['requests']} answers")
    return {"rate": report["requests"] / report["seconds"], "cpu": seconds / report["requests"] * 1e6,
            "p99": report["p99"] * 1e3}


def check(server, path, detail, headers=None, status=200):
    """Asks once more and makes sure of the answer and, with ours, of the tier it comes from; returns its fields."""
    answer, fields, _ = server.get(path, headers)
    if answer != status:
        raise Failure(f"answers {answer} where {status} is due")
    if server.name.startswith("ours") and f"detail={detail}" not in fields.get("Cache-Status", ""):
        raise Failure(f"not from {detail}: {fields.get('Cache-Status')}")
    return fields
