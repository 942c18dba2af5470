"""The tables: medians of the rounds, their spread, and ratios to ours, in Markdown that also reads on a terminal."""

import datetime
import os
import platform
import re
import statistics
import subprocess

from .servers import program

_OTHERS = ("nginx", "varnish")


def heading(settings):
    """Date, machine and versions: figures of two machines, or two days, do not compare."""
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), platform.machine())
    kernel = ".".join(platform.release().split(".")[:2])
    versions = [_version("nginx", "-v"), _version("varnishd", "-V"), _version("wrk", "-v"), _version("h2load", "--version")]
    return "\n".join([
        f"# {datetime.date.today()}, {model}, {os.cpu_count()} cores, Linux {kernel}", "",
        f"{', '.join(versions)}; load average {os.getloadavg()[0]:.1f} at the start. {settings.rounds} rounds of "
        f"{settings.seconds} s, interleaved; {settings.connections} connections; servers on one core, load on another, "
        f"`2 loops` on both. Median, ± half of the rounds' range. CPU: user and system time of all the server's "
        f"processes, a request. Ratio: requests a CPU second, ours to theirs; above 1 ours is cheaper."])


def _version(name, argument):
    result = subprocess.run([program(name), argument], capture_output=True, text=True, check=False)
    number = re.search(r"\d+\.\d+\.\d+", result.stdout + result.stderr)
    return f"{name} {number.group() if number else '?'}"


def text(scenarios):
    """All tables and notes of `scenarios`."""
    notes = [f"- {note}" for scenario in scenarios for note in scenario.notes]
    parts = [_main_table(scenarios), _floor_table(scenarios), _loops_table(scenarios), _further_table(scenarios),
             "\n".join(notes)]
    return "\n\n".join(part for part in parts if part)


def _main_table(scenarios):
    header = ["scenario"]
    for name in ("ours", *_OTHERS):
        header += [f"{name} req/s", "CPU µs", "p99 ms"]
    rows = [row for scenario in scenarios for row in _main_rows(scenario)]
    return _table([*header, *(f"to {name}" for name in _OTHERS)], rows) if rows else ""


def _floor_table(scenarios):
    """How far ours is from the least that a loop can do."""
    rows = [[scenario.title, *(_figure(scenario, name, "cpu", "{:.2f}", spread=True) for name in ("ours", "floor")),
             _ratio(scenario, "floor", "ours")] for scenario in scenarios if scenario.samples.get("floor")]
    return _table(["the floor", "ours, CPU µs", "floor, CPU µs", "ours to floor"], rows) if rows else ""


def _loops_table(scenarios):
    """What a second loop costs, in the same place."""
    rows = []
    for scenario in scenarios:
        for place, one, two in (("on one core", "ours", "ours-2-pinned"), ("on both cores", "ours-free", "ours-2")):
            if scenario.samples.get("ours-2-pinned") and scenario.samples.get(two):
                rows.append([f"{scenario.title}, {place}"] + [
                    _figure(scenario, name, "cpu", "{:.2f}", spread=True) for name in (one, two)]
                    + [_ratio(scenario, one, two)])
    return _table(["loops", "one, CPU µs", "two, CPU µs", "two to one"], rows) if rows else ""


def _main_rows(scenario):
    if scenario.samples.get("ours-2-pinned"):
        return  # has a table of its own
    for ours, title in (("ours", scenario.title), ("ours-2", scenario.title + ", 2 loops")):
        if not any("cpu" in sample for sample in scenario.samples.get(ours, [])):
            if ours == "ours-2" or not any("cpu" in s[0] for s in scenario.samples.values()):
                continue
        row = [title]
        for name in (ours, *_OTHERS):
            row += [_figure(scenario, name, "rate", "{:,.0f}"), _figure(scenario, name, "cpu", "{:.2f}", spread=True),
                    _figure(scenario, name, "p99", "{:.2f}")]
        yield row + [_ratio(scenario, ours, name) for name in _OTHERS]


def _further_table(scenarios):
    rows = []
    for scenario in scenarios:
        measures = {name: None for samples in scenario.samples.values() for name in samples[0]}
        for measure in measures:
            if measure not in ("rate", "cpu", "p99"):
                subjects = ("ours", "ours-2", *_OTHERS)
                rows.append([scenario.title, measure] + [
                    _figure(scenario, subject, measure, "{:,.4g}", spread=True) for subject in subjects])
    return _table(["scenario", "measure", "ours", "ours, 2 loops", *_OTHERS], rows) if rows else ""


def _values(scenario, subject, measure):
    return [sample[measure] for sample in scenario.samples.get(subject, []) if measure in sample]


def _figure(scenario, subject, measure, form, spread=False):
    values = _values(scenario, subject, measure)
    if not values:
        return "–"
    middle = statistics.median(values)
    figure = form.format(middle)
    if spread and len(values) > 1 and middle:
        figure += f" ±{(max(values) - min(values)) / 2 / abs(middle) * 100:.0f}%"
    return figure


def _ratio(scenario, ours, theirs):
    our, their = _values(scenario, ours, "cpu"), _values(scenario, theirs, "cpu")
    return f"{statistics.median(their) / statistics.median(our):.2f}×" if our and their else "–"


def _table(header, rows):
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    lines = [_line(header, widths), "| " + " | ".join("-" * width for width in widths) + " |"]
    return "\n".join(lines + [_line(row, widths) for row in rows])


def _line(cells, widths):
    padded = [cell.ljust(width) if index == 0 else cell.rjust(width)
              for index, (cell, width) in enumerate(zip(cells, widths))]
    return "| " + " | ".join(padded) + " |"
