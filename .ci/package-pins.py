#!/usr/bin/env python3
"""Compares the resolved packages with the reviewed ones: a tag can be moved, its content cannot.

  .ci/package-pins.py [PINS [GRAPH]]    every package is the one in PINS, .ci/package-pins.txt
  .ci/package-pins.py --write           rewrites the digests; use it only after reviewing the changes

Compares the checkout rather than its commit: a mirror may serve a tag as a commit of its own. A digest is SHA-256 over
the names of all files except git's, in order, each with the SHA-256 of its content; links are followed, as archives do.
GRAPH is a file with the output of `swift package show-dependencies --format json`.
Exit: 0, or 1 with the differences.
"""
import hashlib
import json
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PINS = os.path.join(TOP, ".ci", "package-pins.txt")
UNSEEN = "-"


def packages(package):
    for dependency in package["dependencies"]:
        yield dependency
        yield from packages(dependency)


def files(top):
    for folder, folders, names in os.walk(top, followlinks=True):
        here = os.path.realpath(folder)
        # A link to a parent folder would never end.
        folders[:] = [n for n in folders if n != ".git" and
                      not (here + os.sep).startswith(os.path.realpath(os.path.join(folder, n)) + os.sep)]
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and name != ".git":
                yield os.path.relpath(path, top).replace(os.sep, "/"), path


def digest(top):
    whole = hashlib.sha256()
    for name, path in sorted(files(top)):
        with open(path, "rb") as file:
            whole.update(name.encode() + b"\0" + hashlib.sha256(file.read()).digest())
    return whole.hexdigest()


def read(path):
    head, pins = [], {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                head.append(line)
                continue
            fields = line.split()
            if len(fields) != 4:
                raise SystemExit(f"{path}: not four fields: {line.strip()}")
            pins[fields[0]] = fields[1:]
    return head, pins


def resolved(graph):
    if graph:
        with open(graph, encoding="utf-8") as file:
            root = json.load(file)
    else:
        shown = subprocess.run(["swift", "package", "show-dependencies", "--format", "json"], check=True,
                               capture_output=True, text=True, cwd=TOP)
        root = json.loads(shown.stdout)
    return {one["identity"]: (one["version"], digest(one["path"])) for one in packages(root)}


def write(path, head, pins, found):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(head)
        for name, (version, sum_) in sorted(found.items()):
            known = pins.get(name)
            revision = known[2] if known and known[:2] == [version, sum_] else UNSEEN
            file.write(f"{name} {version} {sum_} {revision}\n")


def main():
    words = sys.argv[1:]
    writes = words[:1] == ["--write"]
    words = words[1:] if writes else words
    path = words[0] if words else PINS
    head, pins = read(path)
    found = resolved(words[1] if len(words) > 1 else None)
    if writes:
        write(path, head, pins, found)
        return 0
    page = os.path.basename(path)
    wrong = [f"{name} {pins[name][0]} is in {page} but not resolved" for name in pins if name not in found]
    for name, (version, sum_) in sorted(found.items()):
        known = pins.get(name)
        if known is None:
            wrong.append(f"{name} {version} is not in {page}")
        elif known[0] != version:
            wrong.append(f"{name} is {version}, not {known[0]}")
        elif known[1] != sum_:
            wrong.append(f"{name} {version} has changed: its files have the digest {sum_}, not {known[1]}")
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 1
    seen = sum(1 for name in found if pins[name][2] != UNSEEN)
    print(f"packages unchanged: {len(found)}, verified against their authors' tags: {seen}")
    return 0


sys.exit(main())
