#!/usr/bin/env python3
"""The cost of reports: CPU time and memory of each format, by the number of loads in a store.

    Tests/Bench/reports.py [--hosts N] [--paths N] [LOADS...]

LOADS are by default 100,000, 1 million and 2 million; hosts and paths are those of `loader store`, which makes the
stores. CPU time is user and system time of the process, so other work on the machine does not count. Slow results do
not fail.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GROUPED = ["text", "markdown", "html", "json", "csv", "junit", "sarif", "github", "gitlab"]
ROWS = ["jsonl", "csv-loads", "har"]
# Bytes on macOS, KiB elsewhere: getrusage(2).
MEMORY_UNIT = 1 if sys.platform == "darwin" else 1024


def build(product):
    command = ["swift", "build", "-c", "release", "--product", product]
    subprocess.run(command, cwd=ROOT, check=True, stdout=sys.stderr)
    folder = subprocess.run([*command, "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True)
    return Path(folder.stdout.strip()) / product


def measured(command):
    """CPU seconds and peak memory in MiB of a process; exit code 1 only means that loads would be blocked."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, command))}: ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * MEMORY_UNIT / 2**20


def tell(name, loads, command):
    seconds, memory = measured(command)
    print(f"{name:12} {loads:>10,} {seconds:8.2f} {loads / max(seconds, 0.001):12,.0f} {memory:8.0f}", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--hosts", default="200")
    arguments.add_argument("--paths", default="5000")
    arguments.add_argument("loads", nargs="*", type=int, default=[100_000, 1_000_000, 2_000_000])
    options = arguments.parse_args()
    gate, loader = build("atsgate"), build("loader")
    print(f"{'':12} {'loads':>10} {'CPU s':>8} {'loads/CPU s':>12} {'MiB':>8}")
    for loads in options.loads:
        with tempfile.TemporaryDirectory() as folder:
            store = str(Path(folder) / "bench.sqlite")
            shape = ["--loads", str(loads), "--hosts", options.hosts, "--paths", options.paths]
            tell("recording", loads, [loader, "store", store, *shape])
            for form in GROUPED + ROWS:
                tell(form, loads, [gate, "report", "--store", store, "--format", form])
            for judged in ["replay", "suggest"]:
                tell(judged, loads, [gate, judged, "--store", store])


if __name__ == "__main__":
    main()
