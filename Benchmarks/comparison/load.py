"""What puts load on a server: wrk and h2load, and for fixed numbers of requests the client of client.c.

Each returns a report: `requests`, `seconds`, `failures`, and `p50` and `p99` in seconds.
"""

import contextlib
import json
import os
import socket
import subprocess
import threading
import time

from . import processes
from .processes import Failure, Skip

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def wrk(place, url, *script, connections=None, seconds=None):
    """As many requests as the server answers, one after the other on each connection; `script`: see wrk.lua."""
    settings = place.settings
    seconds = seconds or settings.seconds
    output = processes.output_of(
        ["wrk", "-t1", f"-c{connections or settings.connections}", f"-d{seconds}s", "--timeout", "10s",
         "-s", os.path.join(_FOLDER, "wrk.lua"), url, "--", *map(str, script or ["plain"])],
        place.load_core, seconds + 60)
    return _report(output)


def h2load(place, url, rate):
    """`rate` requests a second whether the server keeps up or not, so that its latency shows."""
    settings, connections = place.settings, 50
    log = os.path.join(place.root, "h2load.log")
    processes.output_of(
        ["h2load", "--h1", "-t1", f"-c{connections}", f"--rps={rate / connections:g}", f"-D{settings.seconds}",
         f"--log-file={log}", url], place.load_core, settings.seconds + 60)
    with open(log) as file:
        rows = [line.split() for line in file]
    os.unlink(log)
    # Status -1 is a request that the end of the run cut off; there is at most one a connection.
    answers = [row for row in rows if row[1] != "-1"]
    failures = sum(row[1] != "200" for row in answers) + max(0, len(rows) - len(answers) - connections)
    if not answers:
        raise Failure("h2load got no answer")
    times = sorted(int(row[2]) / 1e6 for row in answers)
    return {"requests": len(answers), "seconds": settings.seconds, "failures": failures,
            "p50": times[len(times) // 2], "p99": times[int(len(times) * 0.99)]}


def client(place, port, target, connections, count, first=0):
    """`count` requests in all; a `{}` in `target` becomes `first`, `first` + 1, …"""
    report = _report(processes.output_of(
        [place.client, str(port), str(connections), str(count), str(first), target], place.load_core, 150))
    report["seconds"] = report["ended"] - report["began"]
    return report


def compiled(root, name, *libraries):
    """Builds a C program of this folder in `root`; returns its path."""
    path, source = os.path.join(root, name), os.path.join(_FOLDER, name + ".c")
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-O2", "-Wall", "-o", path, source, *libraries], check=True)
    return path


def compiled_counts(root):
    """Builds what counts allocations and copies when it is preloaded into a program; returns its path."""
    tests = os.path.join(_FOLDER, "..", "..", "Tests", "CallCounts")
    path = os.path.join(root, "counts.so")
    subprocess.run(
        [os.environ.get("CC", "cc"), "-O2", "-fPIC", "-shared", "-fno-builtin", "-DCALL_COUNTS_OF_PROCESS",
         "-I", os.path.join(tests, "include"), "-o", path, os.path.join(tests, "CallCounts.c")], check=True)
    return path


def _report(output):
    for line in output.splitlines():
        if line.startswith("{"):
            return json.loads(line)
    raise Failure(f"no report in: {output.strip()[-300:]}")


def _request(server, path):
    return f"GET {server.target(path)} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()


def _connect(server, receive_buffer=None):
    connection = socket.socket()
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.settimeout(10)
    try:
        connection.connect(("127.0.0.1", server.port))
    except OSError as error:
        connection.close()
        raise Skip(f"no more connections: {error}") from None
    return connection


@contextlib.contextmanager
def idle_connections(server, path, count):
    """Holds `count` connections open, each of which had one answer and now asks for nothing."""
    with contextlib.ExitStack() as stack:
        held = []
        # In batches, as a busy machine lets each turn of a single connection wait.
        for begin in range(0, count, 500):
            batch = [stack.enter_context(_connect(server)) for _ in range(min(500, count - begin))]
            for connection in batch:
                connection.sendall(_request(server, path))
            if not all(_read_answer(connection).startswith(b"HTTP/1.1 200") for connection in batch):
                raise Failure(f"one of the first {begin + len(batch)} connections was not answered 200")
            held += batch
        yield held


def closed(connections):
    """How many of `connections` the server has closed."""
    gone = 0
    for connection in connections:
        connection.setblocking(False)
        try:
            connection.recv(1)
            gone += 1  # end of stream, or bytes that nobody asked for
        except BlockingIOError:
            continue
        except OSError:
            gone += 1
    return gone


def _read_answer(connection):
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += _some(connection)
    head, _, body = answer.partition(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    while len(body) < length:
        body += _some(connection)
    return head


def _some(connection):
    received = connection.recv(65536)
    if not received:
        raise Failure("connection closed in mid-answer")
    return received


class SlowReaders:
    """Connections that ask for a large picture and read it at `bytes_per_second` each, from a thread."""

    def __init__(self, server, path, count, bytes_per_second):
        self.received, self.dropped = 0, 0
        self._stopped, self._piece = threading.Event(), bytes_per_second // 10
        self._connections = [_connect(server, receive_buffer=8192) for _ in range(count)]
        for connection in self._connections:
            connection.sendall(_request(server, path))
            connection.setblocking(False)
        self._thread = threading.Thread(target=self._read, daemon=True)

    def __enter__(self):
        self._began = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stopped.set()
        self._thread.join()
        self.bytes_per_second = self.received / (time.monotonic() - self._began)
        for connection in self._connections:
            connection.close()

    def _read(self):
        while not self._stopped.wait(0.1):
            for connection in list(self._connections):
                try:
                    piece = connection.recv(self._piece)
                except BlockingIOError:
                    continue
                except OSError:
                    piece = b""
                self.received += len(piece)
                if not piece:
                    self.dropped += 1
                    self._connections.remove(connection)
