"""Processes the benchmarks start: pinned to a core, measured by pid, stopped by pid."""

import os
import random
import signal
import socket
import subprocess
import time

_running = []


class Failure(Exception):
    """A run that gave no honest figure: errors at the client, a server that did not start, a wrong answer."""


class Skip(Exception):
    """A scenario that this machine has no room for."""


def start(arguments, cores, log):
    """Starts a server on `cores`; its output goes to the file `log`."""
    with open(log, "ab") as output:
        process = subprocess.Popen(
            ["taskset", "-c", cores, *arguments], stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    _running.append(process)
    return process


def output_of(arguments, cores, seconds):
    """Runs a load generator on `cores` to its end and returns what it printed."""
    process = subprocess.Popen(
        ["taskset", "-c", cores, *arguments], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    _running.append(process)
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Failure(f"{arguments[0]} did not end within {seconds} s") from None
    finally:
        stop(process)
    if process.returncode != 0:
        raise Failure(f"{os.path.basename(arguments[0])} failed: {output.strip()[-300:]}")
    return output


def stop(process):
    """Ends a process and, when it does not end by itself, what it started."""
    family = tree(process.pid) if process.poll() is None else []
    if family:
        process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        for pid in family:
            _kill(pid)
        process.wait()
    if process in _running:
        _running.remove(process)


def stop_all():
    """Stops whatever still runs, the youngest first. A second Ctrl-C does not disturb it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for process in reversed(list(_running)):
        stop(process)


def _kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def tree(pid):
    """`pid` and all its descendants: nginx works in children of its master, varnish in a child of its manager."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                # The second field, the name in parentheses, may hold blanks.
                parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
    family = [pid]
    for member in family:
        family += [child for child, parent in parents.items() if parent == member]
    return family


def cpu_times(pid):
    """User and system time of each process of `pid`'s tree, in seconds.

    The kernel's CPU clock of a process counts nanoseconds over all its threads; /proc/PID/stat has the same sum in
    ticks of 10 ms. The number of the clock is that of clock_getcpuclockid(3).
    """
    times = {}
    for member in tree(pid):
        try:
            times[member] = time.clock_gettime(~member << 3 | 2)
        except OSError:
            continue  # ended meanwhile
    return times


def cpu_between(before, after):
    """Seconds spent between two `cpu_times`; a process that ended in between no longer counts."""
    return sum(seconds - before.get(pid, 0) for pid, seconds in after.items())


def settle(pid, limit=10):
    """Waits until `pid`'s tree rests, so that writes left to the background are counted, and by the right run."""
    deadline = time.monotonic() + limit
    before = cpu_times(pid)
    while time.monotonic() < deadline:
        time.sleep(0.2)
        after = cpu_times(pid)
        if cpu_between(before, after) < 0.002:
            return
        before = after


def resident_bytes(pid):
    """Resident memory of `pid`'s tree. Shared pages count more than once: compare differences."""
    total = 0
    for member in tree(pid):
        with open(f"/proc/{member}/status") as file:
            total += sum(int(line.split()[1]) * 1024 for line in file if line.startswith("VmRSS:"))
    return total


def free_port():
    """A loopback port that is free, below the range that the kernel takes client ports from."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def wait_for(process, port, log, limit=20):
    """Waits until `process` listens on `port`."""
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    with open(log, errors="replace") as file:
        raise Failure(f"{process.args[3]} does not listen: {file.read().strip()[-300:]}")
