"""Scenarios of what is cached."""

from . import load, processes
from .scenario import Scenario, check, measured


class Hit(Scenario):
    """One URL, asked for on all connections; `script` is what wrk.lua makes of it."""

    def __init__(self, name, title, path, *script, detail="memory", **more):
        super().__init__(name, title, **more)
        self.path, self.script, self.detail = path, script, detail

    def prepare(self, place, server):
        server.get(self.path)
        processes.settle(server.process.pid)
        check(server, self.path, self.detail)

    def measure(self, place, server):
        return measured(server, lambda: load.wrk(place, server.url(self.path), *self.script))


class RandomHit(Hit):
    """`urls` distinct URLs of one picture in random order."""

    urls = 10_000

    def prepare(self, place, server):
        # Twice: the second time lets each server settle on how it keeps what it has.
        for _ in range(2):
            load.client(place, server.port, server.target(self.path), 8, self.urls, first=1)
            processes.settle(server.process.pid)
        check(server, self.path.replace("{}", "1"), self.detail)

    def measure(self, place, server):
        script = ("random", self.urls, server.target(self.path))
        return measured(server, lambda: load.wrk(place, server.url(""), *script))


class NotModified(Hit):
    """`If-None-Match` with the tag that the answer bears: 304."""

    def prepare(self, place, server):
        super().prepare(place, server)
        _, fields, _ = server.get(self.path)
        server.tag = fields["ETag"]
        check(server, self.path, self.detail, {"If-None-Match": server.tag}, status=304)

    def measure(self, place, server):
        script = ("field", "If-None-Match", server.tag)
        return measured(server, lambda: load.wrk(place, server.url(self.path), *script))


class FixedRate(Hit):
    """A fixed rate that every server can hold: what is measured is latency."""

    def measure(self, place, server):
        rate = place.settings.latency_rate
        sample = measured(server, lambda: load.h2load(place, server.url(self.path), rate))
        if sample["rate"] < rate * 0.95:
            self._note(f"{self.name}, {server.name}: {sample['rate']:,.0f} of {rate:,} requests/s; lower LATENCY_RATE")
        return sample


class Loops(Hit):
    """One loop and two, both on the server core, then both free on both cores: like is compared with like.

    Two cores cannot be loaded from outside on a machine of two, so the CPU time of a hit is the measure.
    """

    def __init__(self, name, title, path):
        super().__init__(name, title, path, subjects=("ours", "ours-2-pinned", "ours-free", "ours-2"))


WITH_FLOOR = ("ours", "floor", "nginx", "varnish")
NO_VARNISH = ("ours", "nginx")
DISK = {"detail": "disk", "subjects": NO_VARNISH, "options": {"cacheLimit": 0}}

HITS = [
    Hit("hit-1k", "memory hit 1 KB", "1k.png", subjects=WITH_FLOOR),
    Hit("hit-20k", "memory hit 20 KB", "20k.png", subjects=WITH_FLOOR),
    Hit("hit-200k", "memory hit 200 KB", "200k.png"),
    Loops("loops-1k", "loops, 1 KB", "1k.png"),
    Loops("loops-20k", "loops, 20 KB", "20k.png"),
    RandomHit("random-1k", "10,000 URLs, 1 KB", "1k.png?n={}"),
    RandomHit("random-20k", "10,000 URLs, 20 KB", "20k.png?n={}"),
    FixedRate("latency-1k", "fixed rate, 1 KB", "1k.png"),
    FixedRate("latency-20k", "fixed rate, 20 KB", "20k.png"),
    Hit("connection", "connection a request, 1 KB", "1k.png", "field", "Connection", "close"),
    Hit("pipelined", "16 pipelined, 1 KB", "1k.png", "pipeline", 16),
    NotModified("not-modified", "304", "20k.png"),
    Hit("disk-1k", "disk hit 1 KB", "1k.png", **DISK),
    Hit("disk-20k", "disk hit 20 KB", "20k.png", **DISK),
    Hit("disk-200k", "disk hit 200 KB", "200k.png", **DISK),
    RandomHit("disk-random-20k", "disk, 10,000 URLs, 20 KB", "20k.png?n={}", **DISK),
]
