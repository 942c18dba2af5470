"""Scenarios of what grows with the number of objects: cost of a hit, memory, start, eviction, pauses of the loop."""

import socket
import statistics
import time

from . import load, processes
from .processes import Failure
from .scenario import Scenario, measured

_PICTURE = "1k.png?n={}"
# client.c gives up after two minutes.
_PIECE = 50_000


def fill(place, server, first, last):
    """Puts objects `first` to `last` in, through misses."""
    while first <= last:
        count = min(_PIECE, last - first + 1)
        report = load.client(place, server.port, server.target(_PICTURE), min(32, count), count, first)
        if report["failures"]:
            raise Failure(f"{report['failures']} failures while objects are put in")
        first += count


def wait_until(condition, what, limit=120):
    """Waits for a condition; returns the seconds that it took."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > limit:
            raise Failure(f"{what}: not within {limit} s")
        time.sleep(0.005)
    return time.monotonic() - began


def objects(server, tier):
    """How many objects a tier has."""
    return server.metrics()[f'imagestore_cache_objects{{tier="{tier}"}}']


class Lags:
    """What /metrics says of the loop's pauses from now on."""

    def __init__(self, server):
        self.server, self.before = server, self._buckets(server)

    @staticmethod
    def _buckets(server):
        return {float(series.split('le="')[1].split('"')[0].replace("+Inf", "inf")): value
                for series, value in server.metrics().items()
                if series.startswith("imagestore_loop_lag_seconds_bucket")}

    def sample(self, when):
        """The upper bound of the longest pause, and how many were longer than 10 ms."""
        grown = {bound: count - self.before.get(bound, 0) for bound, count in self._buckets(self.server).items()}
        most = grown[float("inf")]
        longest = min(bound for bound, count in grown.items() if count >= most)
        return {f"longest pause {when}, ms at most": longest * 1e3,
                f"pauses over 10 ms {when}": most - grown[0.01]}


class GrowthMemory(Scenario):
    """From 1,000 to MEMORY_OBJECTS small objects in memory; hits over random URLs of the set at each step."""

    rounds = 1

    def __init__(self, name, title):
        super().__init__(name, title, subjects=("ours",), options={"cacheLimit": "3GB", "diskCacheLimit": 0})

    def measure(self, place, server):
        most = place.settings.memory_objects
        sample, have, idle, lags = {}, 0, processes.resident_bytes(server.process.pid), Lags(server)
        began = time.monotonic()
        for count in [*(step for step in (1_000, 10_000, 100_000) if step < most), most]:
            fill(place, server, have + 1, count)
            have = count
            if objects(server, "memory") != count:
                raise Failure(f"{objects(server, 'memory'):,.0f} objects are kept where {count:,} are due")
            sample |= self._hits(place, server, count)
        resident = processes.resident_bytes(server.process.pid) - idle
        return sample | {"resident bytes an object, 1,000 of body included": resident / have,
                         "seconds in all": time.monotonic() - began} | lags.sample("as memory grows")

    def _hits(self, place, server, count):
        # Once over, so that each target has its place in the alias table, where it fits.
        load.client(place, server.port, server.target(_PICTURE), 8, min(count, 20_000), first=1)
        script = ("random", count, server.target(_PICTURE))
        runs = [measured(server, lambda: load.wrk(place, server.url(""), *script))
                for _ in range(place.settings.rounds)]
        return {f"{count:,} objects, CPU µs a hit": statistics.median(run["cpu"] for run in runs),
                f"{count:,} objects, p99 ms": statistics.median(run["p99"] for run in runs)}


class GrowthDisk(Scenario):
    """DISK_OBJECTS small objects on disk: a restart, hits while the index is read, a smaller limit."""

    rounds = 1

    def __init__(self, name, title):
        super().__init__(name, title, subjects=("ours",), options={"cacheLimit": 0})

    def measure(self, place, server):
        count = place.settings.disk_objects
        server.options = dict(self.options)
        self._restart(place, server, count * 12_288)
        empty, lags, began = processes.resident_bytes(server.process.pid), Lags(server), time.monotonic()
        self._fill(place, server, count)
        sample = {"seconds to put objects in": time.monotonic() - began} | lags.sample("as the disk fills")
        sample |= self._start_with_objects(place, server, count)
        sample["resident bytes an object after a restart"] = (
            (processes.resident_bytes(server.process.pid) - empty) / count)
        return sample | self._shrink(place, server, count)

    def _fill(self, place, server, count):
        for _ in range(3):  # A disk that cannot keep up drops writes; what is missing is asked for again.
            fill(place, server, 1, count)
            processes.settle(server.process.pid, limit=60)
            if objects(server, "disk") == count:
                return
        raise Failure(f"{objects(server, 'disk'):,.0f} objects on disk where {count:,} are due")

    def _restart(self, place, server, limit=None):
        """Stops and starts the server on its directory; seconds to stop and to listen again."""
        if limit:
            server.options["diskCacheLimit"] = limit
        began = time.monotonic()
        processes.stop(server.process)
        stopped = time.monotonic()
        server.process = processes.start(server.command(), place.cores[server.cores], server.log)
        wait_until(lambda: _listens(server.port), "listening again", limit=30)
        return stopped - began, time.monotonic() - stopped

    def _start_with_objects(self, place, server, count):
        stop, start = self._restart(place, server)
        began, lags = time.monotonic(), Lags(server)
        script = ("random", count, server.target(_PICTURE))
        meanwhile = measured(server, lambda: load.wrk(place, server.url(""), *script, seconds=2))
        wait_until(lambda: objects(server, "disk") >= count, "the index")
        indexed = time.monotonic()
        settled = measured(server, lambda: load.wrk(place, server.url(""), *script))
        return {"seconds to stop": stop, "ms from start to listening": start * 1e3,
                "seconds to the whole index": indexed - began, "hits/s in the first 2 s": meanwhile["rate"],
                "p99 ms in the first 2 s": meanwhile["p99"], "CPU µs a hit afterwards": settled["cpu"],
                "p99 ms afterwards": settled["p99"]} | lags.sample("after the restart")

    def _shrink(self, place, server, count):
        """Starts with room for half of what is there."""
        limit = count * 2_048
        self._restart(place, server, limit)
        lags, before, began = Lags(server), processes.cpu_times(server.process.pid), time.monotonic()
        # The scan goes on meanwhile: what it has not found yet is not counted.
        wait_until(lambda: _evicted(server) + objects(server, "disk") >= count, "the index")
        wait_until(lambda: server.metrics()['imagestore_cache_bytes{tier="disk"}'] <= limit, "eviction")
        seconds, left = time.monotonic() - began, objects(server, "disk")
        spent = processes.cpu_between(before, processes.cpu_times(server.process.pid))
        return {"objects that leave when half the room is left": count - left, "seconds until they have left": seconds,
                "CPU µs an object that leaves": spent / max(1, count - left) * 1e6} | lags.sample("as files leave")


def _evicted(server):
    return sum(value for series, value in server.metrics().items()
               if series.startswith('imagestore_cache_evictions_total{tier="disk"'))


def _listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


GROWTH = [
    GrowthMemory("growth-memory", "objects in memory, 1 KB"),
    GrowthDisk("growth-disk", "objects on disk, 1 KB"),
]
