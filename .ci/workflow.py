#!/usr/bin/env python3
"""Checks a GitHub workflow for common mistakes.

  .ci/workflow.py FILE

Every job needs a runner, a deadline and steps; every action must be pinned to a commit, because tags can be moved; the
files of this package that a step runs must exist. Exit: 0, or 1 with the problems.
"""
import os
import re
import sys

import yaml

PINNED = re.compile(r"^[\w.-]+/[\w./-]+@[0-9a-f]{40}$")
OWN = re.compile(r"(?:^|\s)(\.ci/[\w.-]+)")
TARGET = re.compile(r"^make\s+([a-z-]+)", re.MULTILINE)


def troubles(workflow, targets):
    # YAML 1.1 reads `on` as a Boolean.
    if not (workflow.get("on") or workflow.get(True)):
        yield "no trigger"
    if "permissions" not in workflow:
        yield "no permissions are set, so steps have all of them"
    for name, job in workflow["jobs"].items():
        for key in ("runs-on", "timeout-minutes", "steps"):
            if key not in job:
                yield f"{name}: no {key}"
        for step in job.get("steps", []):
            if ("uses" in step) == ("run" in step):
                yield f"{name}: a step either uses or runs something: {step}"
            if "uses" in step and not PINNED.match(step["uses"]):
                yield f"{name}: not pinned by a commit: {step['uses']}"
            for path in OWN.findall(step.get("run", "")):
                if not os.access(path, os.X_OK):
                    yield f"{name}: no such program: {path}"
            for target in TARGET.findall(step.get("run", "")):
                if target not in targets:
                    yield f"{name}: no such target of make: {target}"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        workflow = yaml.safe_load(file)
    with open("Makefile", encoding="utf-8") as file:
        targets = set(re.findall(r"^([a-z-]+):", file.read(), re.MULTILINE))
    found = list(troubles(workflow, targets))
    for trouble in found:
        print(f"{sys.argv[1]}: {trouble}", file=sys.stderr)
    return 1 if found else 0


sys.exit(main())
