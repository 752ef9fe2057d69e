#!/usr/bin/env python3
"""Compares what `atsgate evidence read` read from a witness with what it printed: a task for each address, in order.
Also compares what a gate in witness mode saw of each load with what the witness reported.

  witness/check.py TARGETS EVIDENCE RECORDS

TARGETS is the witness's input, EVIDENCE the JSON lines that were read, RECORDS those of the gate. Does not check
whether a load was allowed. Exit: 0 if they match, 1 if they do not.
"""
import json
import sys
from urllib.parse import urlsplit


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def misread(wanted, tasks):
    """The addresses that were not read as printed."""
    if len(tasks) != len(wanted):
        yield f"{len(wanted)} addresses, {len(tasks)} tasks"
    for number, ((_, url), task) in enumerate(zip(wanted, tasks), 1):
        if task["host"] != url.hostname:
            yield f"{number}: {url.hostname} was read as {task['host']}"
        if task["outcome"] not in ("allowed", "blocked", "failed"):
            yield f"{number}: {url.hostname} is {task['outcome']}"
        if task["outcome"] == "failed" and task["code"] is None:
            yield f"{number}: {url.hostname} failed without a code"


def misseen(wanted, tasks, records):
    """The loads that the gate saw differently. An accepted one may still fail: its server may not speak HTTP."""
    seen = {}
    for record in records:
        place = (record["load"]["scheme"], record["load"]["host"], record["load"]["port"])
        seen.setdefault(place, set()).add(record["device"]["outcome"])
    for (is_direct, url), task in zip(wanted, tasks):
        if is_direct:
            continue
        place = (url.scheme, url.hostname, url.port or (80 if url.scheme == "http" else 443))
        outcomes = seen.get(place)
        if not outcomes:
            yield f"{url.geturl()}: the gate saw no load"
        elif task["outcome"] == "allowed" and "accepted" not in outcomes:
            yield f"{url.geturl()}: it loaded, and the gate saw {', '.join(sorted(outcomes))}"
        elif task["outcome"] != "allowed" and outcomes == {"accepted"} and task["code"] in CERTIFICATE_CODES:
            yield f"{url.geturl()}: {task['code']}, but the gate saw accepted"


# NSURLErrorServerCertificateUntrusted and its kin: NSURLError.h.
CERTIFICATE_CODES = {-1201, -1202, -1203, -1204}


def main(targets, evidence, records):
    with open(targets, encoding="utf-8") as file:
        wanted = [(line.startswith("direct "), urlsplit(line.split()[-1])) for line in file if line.strip()]
    tasks, records = lines(evidence), lines(records)
    wrong = list(misread(wanted, tasks)) + list(misseen(wanted, tasks, records))
    print("\n".join(wrong) or f"{len(tasks)} loads, all read, and seen the same way by the gate")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
