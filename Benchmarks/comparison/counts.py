"""Counts that do not drift: system calls and instructions a request. They compare between days and machines."""

import os
import re
import signal
import subprocess

from . import load, processes
from .hits import Hit
from .processes import Failure
from .servers import program


class Counts(Hit):
    """System calls of a fixed number of hits by strace, instructions by callgrind, on one connection and on many."""

    rounds, requests = 1, 4_000

    def __init__(self, name, title, path, **more):
        super().__init__(name, title, path, subjects=("ours", "nginx"), **more)

    def measure(self, place, server):
        sample = {}
        for connections in (1, place.settings.connections):
            for call, calls in self._system_calls(place, server, connections).items():
                sample[f"{call} a hit, {connections} connections"] = calls
        if server.name == "ours":
            sample["instructions a hit"] = self._instructions(place, server)
            sample |= self._heap_and_copies(place, server)
        return sample

    def _ask(self, place, port, server, connections, requests):
        report = load.client(place, port, server.target(self.path), connections, requests)
        if report["failures"]:
            raise Failure(f"{report['failures']} failures")

    def _system_calls(self, place, server, connections):
        summary = os.path.join(server.folder, "strace")
        pids = [word for pid in processes.tree(server.process.pid) for word in ("-p", str(pid))]
        tracer = subprocess.Popen([program("strace"), "-c", "-f", "-o", summary, *pids], stderr=subprocess.PIPE)
        try:
            tracer.stderr.readline()  # "attached"
            self._ask(place, server.port, server, connections, self.requests)
        finally:
            tracer.send_signal(signal.SIGINT)
            tracer.communicate(timeout=20)
        with open(summary) as file:
            rows = [line.split() for line in file if re.match(r"\s*\d+\.\d+\s", line)]
        counts = {row[-1]: int(row[3]) / self.requests for row in rows if row[-1] != "total"}
        # What is made a connection, or by timers, is no part of a hit.
        return {call: count for call, count in sorted(counts.items()) if count >= 0.02}

    def _instructions(self, place, server):
        def command(twin):
            return [program("valgrind"), "--tool=callgrind", f"--callgrind-out-file={twin.folder}/out", *twin.command()]
        return self._growth(place, server, command, r"Collected : (\d+)", 1_000)[0]

    def _heap_and_copies(self, place, server):
        counts = load.compiled_counts(place.root)

        def command(twin):
            return ["env", f"LD_PRELOAD={counts}", *twin.command()]
        pattern = r'CALL COUNTS \{"allocations": (\d+), "copied_bytes": (\d+)\}'
        allocations, copied = self._growth(place, server, command, pattern, 10_000)
        # A timer of the loop takes a block or two four times a second.
        if self.detail == "memory" and allocations >= 0.01:
            self._note(f"{self.name}: {allocations:.2f} heap allocations a hit, where none are due")
        return {"heap allocations a hit": round(allocations, 2), "bytes copied a hit": round(copied)}

    def _growth(self, place, server, command, pattern, requests):
        """What one request adds to the figures of `pattern`, which the program tells at its end.

        The difference of two runs: what starting and stopping take is in both.
        """
        few, many = (self._run(place, server, command, pattern, count) for count in (requests, 3 * requests))
        return [(after - before) / (2 * requests) for before, after in zip(few, many)]

    def _run(self, place, server, command, pattern, requests):
        twin = type(server)(place, server.origin, server.options)
        twin.process = processes.start(command(twin), place.server_core, twin.log)
        try:
            processes.wait_for(twin.process, twin.port, twin.log, limit=60)
            for _ in range(5):
                twin.get(self.path)
            self._ask(place, twin.port, twin, 1, requests)
            twin.process.terminate()
            twin.process.wait(timeout=60)
            with open(twin.log, errors="replace") as file:
                told = re.search(pattern, file.read())
        finally:
            twin.stop()
        if not told:
            raise Failure("the program did not tell its counts at its end")
        return [int(figure) for figure in told.groups()]


COUNTS = [
    Counts("counts", "counts of a hit, 1 KB", "1k.png"),
    Counts("counts-disk", "counts of a disk hit, 20 KB", "20k.png", detail="disk", options={"cacheLimit": 0}),
]
