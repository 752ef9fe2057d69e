#!/usr/bin/env python3
"""Whether `atsgate evidence read` read of a witness what it printed: a task for each address, in order.

  witness/check.py TARGETS EVIDENCE

TARGETS is what the witness was given, EVIDENCE the JSON lines that were read. Says nothing of whether a load passed.
Exit: 0 when they fit, 1 when they do not.
"""
import json
import sys
from urllib.parse import urlsplit


def main(targets, evidence):
    with open(targets, encoding="utf-8") as file:
        wanted = [urlsplit(line.split()[-1]) for line in file if line.strip()]
    with open(evidence, encoding="utf-8") as file:
        tasks = [json.loads(line) for line in file if line.strip()]
    wrong = []
    if len(tasks) != len(wanted):
        wrong.append(f"{len(wanted)} addresses, {len(tasks)} tasks")
    for number, (url, task) in enumerate(zip(wanted, tasks), 1):
        if task["host"] != url.hostname:
            wrong.append(f"{number}: {url.hostname} was read as {task['host']}")
        if task["outcome"] not in ("allowed", "blocked", "failed"):
            wrong.append(f"{number}: {url.hostname} is {task['outcome']}")
        if task["outcome"] == "failed" and task["code"] is None:
            wrong.append(f"{number}: {url.hostname} failed without a code")
    print("\n".join(wrong) or f"{len(tasks)} loads, all read")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
