#!/usr/bin/env python3
"""Compares THIRD-PARTY.md with the packages that are linked into the program.

  .ci/licences.py            checks version, licence and notices of every package, word for word
  .ci/licences.py --write    rewrites that part

The part below the marks, on the Swift runtime with its libraries, is not about packages and is written by hand.
Exit: 0, or 1 with what is missing.
"""
import glob
import json
import os
import re
import subprocess
import sys

PAGE = "THIRD-PARTY.md"
# Imported by tests only.
TESTS_ALONE = {"swiftcsv": "SwiftCSV"}
BEGIN, END = "<!-- packages: .ci/licences.py --write -->", "<!-- end of packages -->"


def packages(package):
    for dependency in package["dependencies"]:
        yield dependency
        yield from packages(dependency)


def section(package):
    texts = []
    names = sorted(os.listdir(package["path"]))
    for name in [n for n in names if re.match(r"(?i)(licen[cs]e|copying)", n)] + [
        n for n in names if re.match(r"(?i)notice", n)
    ]:
        with open(os.path.join(package["path"], name), encoding="utf-8") as file:
            texts.append("```text\n" + file.read().strip("\n") + "\n```\n")
    if not texts:
        raise SystemExit(f"{package['name']} has no licence")
    return f"## {package['name']} {package['version']}\n\n<{package['url']}>\n\n" + "\n".join(texts)


def main():
    shown = subprocess.run(
        ["swift", "package", "show-dependencies", "--format", "json"], check=True, capture_output=True, text=True)
    found = {package["identity"]: package for package in packages(json.loads(shown.stdout))}
    linked = [package for identity, package in found.items() if identity not in TESTS_ALONE]
    for path in glob.glob("Sources/**/*.swift", recursive=True):
        with open(path, encoding="utf-8") as file:
            for module in re.findall(r"^[ \w@]*\bimport (\w+)", file.read(), re.MULTILINE):
                if module in TESTS_ALONE.values():
                    raise SystemExit(f"{path} imports {module}, which is for tests only")
    text = "\n".join(section(package) for package in sorted(linked, key=lambda package: package["name"].lower()))
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    head, _, rest = page.partition(BEGIN)
    before, mark, tail = rest.partition(END)
    if not mark:
        raise SystemExit(f"{PAGE} lacks its marks")
    wanted = f"\n\n{text}\n"
    if "--write" in sys.argv[1:]:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(head + BEGIN + wanted + END + tail)
        return 0
    names = ", ".join(f"{package['name']} {package['version']}" for package in linked)
    if before != wanted:
        print(f"{PAGE} does not match the linked packages: {names}; run .ci/licences.py --write", file=sys.stderr)
        return 1
    print(f"licences are listed for {names}")
    return 0


sys.exit(main())
