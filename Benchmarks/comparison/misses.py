"""Scenarios of what is not cached yet. Varnish keeps it in memory alone; ours and nginx also write it to disk."""

import os

from . import load
from .processes import Failure
from .scenario import EVERYONE, Scenario, measured
from .slow_origin import SlowOrigin


class Miss(Scenario):
    """Each request is for a URL of its own; a fixed number of them, writes to disk included in the CPU time."""

    path, connections = "20k.png?n={}", 16

    def measure(self, place, server):
        count = place.settings.miss_requests
        first = place.numbers(count)
        return measured(server, lambda: load.client(
            place, server.port, server.target(self.path), self.connections, count, first), settled=True)


class MissLatency(Miss):
    """One client on a connection of its own: what a miss adds to a direct fetch from the origin."""

    def measure(self, place, server):
        count = min(1000, place.settings.miss_requests)
        first = place.numbers(count)
        direct = load.client(place, place.origin.port, "/" + self.path, 1, count, first)
        through = load.client(place, server.port, server.target(self.path), 1, count, first)
        if direct["failures"] or through["failures"]:
            raise Failure(f"{direct['failures']} failures direct, {through['failures']} through the server")
        return {"direct fetch p50, µs": direct["p50"] * 1e6,
                "added by the server at p50, µs": (through["p50"] - direct["p50"]) * 1e6}


class Crowd(Scenario):
    """1,000 clients ask for one cold URL at one moment; the origin answers after half a second."""

    clients = 1_000

    def __init__(self, name, title, picture):
        super().__init__(name, title, subjects=(*EVERYONE, "ours-2"))
        self.picture, self.slow = picture, None

    def origin(self, place):
        place.require_files(self.clients + 200)
        with open(os.path.join(place.pictures, self.picture), "rb") as file:
            self.slow = SlowOrigin(file.read())
        return self.slow.port

    def run(self, place):
        try:
            super().run(place)
        finally:
            if self.slow:
                self.slow.shutdown()
                self.slow.server_close()

    def measure(self, place, server):
        target = server.target(f"{self.picture}?crowd={place.numbers(1)}")
        self.slow.forget()
        reports = []
        cold = measured(server, lambda: reports.append(self._ask(place, server, target)) or reports[0], settled=True)
        after = reports[0]["ended"] - self.slow.last_byte
        warm = self._ask(place, server, target)["seconds"]
        return {"cpu": cold["cpu"], "origin requests": self.slow.requests,
                "last client after the origin's last byte, ms": after * 1e3,
                "the same crowd on a warm hit, ms": warm * 1e3}

    def _ask(self, place, server, target):
        return load.client(place, server.port, target, self.clients, self.clients)


MISSES = [
    Miss("miss", "miss, unique URLs, 20 KB"),
    MissLatency("miss-latency", "miss at low load, 20 KB"),
    Crowd("crowd-20k", "1,000 clients, cold, 20 KB", "20k.png"),
    Crowd("crowd-200k", "1,000 clients, cold, 200 KB", "200k.png"),
]
