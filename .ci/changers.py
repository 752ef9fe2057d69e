#!/usr/bin/env python3
"""Counts the files that change the state of a class that many parts of the program read.

  .ci/changers.py [TOP]    TOP is the tree to check, by default the one that contains this script

A change is an assignment to a member, or a call of a method that makes one, on anything declared as that class in its
target; or the same on a member whose type the target declares, because it is part of that state. The class's own file
and those of its parts do not count. Readers of such state must know when it is written, so only a few files may do so.
Exit: 0; 1 if a class is changed in too many files; 2 if it is not where this script expects it.
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from swiftcode import code_of  # noqa: E402  beside this script

# The target, the class's file in it, and the number of other files that may change it.
CLASSES = {"Tunnel": ("Sources/ProxyCore", "Tunnels/Tunnel.swift", 4)}

MODIFIERS = r"(?:(?:public|package|private\(set\)|private|fileprivate|final|static|mutating)\s+)*"
STORED = re.compile(rf"^    ({MODIFIERS})var (\w+)(?::[^={{\n]*)?(?: *=[^\n]*)?$", re.MULTILINE)
PART = re.compile(rf"^    {MODIFIERS}(?:var|let) (\w+)(?:: | = )([A-Z]\w*)\b", re.MULTILINE)
METHOD = re.compile(
    rf"^    {MODIFIERS}func (\w+)\b[^\n]*\}}$|^    {MODIFIERS}func (\w+)\b.*?\n    \}}$", re.MULTILINE | re.DOTALL)


def assigned(names):
    return rf"(?:{'|'.join(sorted(names))})\s*[-+]?=(?!=)"


def assignment(names):
    return re.compile(rf"(?<![\w.])(?:self\.)?{assigned(names)}")


def call(names):
    return rf"(?:{'|'.join(sorted(names))})\("


def interface(code, parts):
    """The members that other code may assign, and the methods that change visible state."""
    stored = {name: modifiers for modifiers, name in STORED.findall(code)}
    seen = {name for name, modifiers in stored.items() if "private(set)" in modifiers or "private" not in modifiers}
    methods = {match[1] or match[2]: match[0] for match in METHOD.finditer(code)}
    changes = [assignment(seen)] + [re.compile(rf"(?<![\w.])(?:self\.)?{change}") for change in parts]
    changing = {name for name, body in methods.items() if any(
        change.search(body.partition("{")[2]) for change in changes)}
    while more := {name for name, body in methods.items() if name not in changing and re.search(
            rf"(?<![\w.])(?:self\.)?(?:{'|'.join(sorted(changing))})\(", body.partition("{")[2])}:
        changing |= more
    return {name for name in seen if "private" not in stored[name]}, changing


def changes_of_parts(own, code):
    """Patterns for changes of a member whose type another file of the target declares, and those files."""
    patterns, homes = [], set()
    for name, kind in PART.findall(own):
        for path, text in code.items():
            if re.search(rf"^(?:final class|struct) {kind}\b", text, re.MULTILINE):
                members, methods = interface(text, [])
                homes.add(path)
                patterns += [rf"{name}\.{call(methods)}"] if methods else []
                patterns += [rf"{name}\.{assigned(members)}"] if members else []
    return patterns, homes


def places(top, target, home, name):
    """The files that change the class, with the line of the first change."""
    files = subprocess.run(
        ["find", os.path.join(top, target), "-name", "*.swift"], capture_output=True, text=True, check=True)
    code = {}
    for path in sorted(files.stdout.split()):
        with open(path, encoding="utf-8") as file:
            code[os.path.relpath(path, top)] = code_of(file.read())
    own = code.pop(f"{target}/{home}", None)
    if own is None or f"class {name} " not in own:
        sys.exit(print(f".ci/changers.py: {target}/{home} does not declare {name}", file=sys.stderr) or 2)
    parts, homes = changes_of_parts(own, code)
    members, methods = interface(own, parts)
    holders = {word for text in code.values() for word in re.findall(rf"(\w+): {name}\b", text)}
    holders |= {word for text in code.values() for word in re.findall(r"\b(?:if|guard) let (tunnel)\b", text)}
    ways = [call(methods), *([assigned(members)] if members else []), *parts]
    change = re.compile(rf"\b(?:{'|'.join(sorted(holders))})[?!]?\.(?:{'|'.join(ways)})")
    for path, text in sorted(code.items()):
        if path in homes:
            continue
        found = change.search(text)
        if not found and f"extension {name} " in text and members:
            found = assignment(members).search(text)
        if found:
            yield f"{path}:{text.count(chr(10), 0, found.start()) + 1}: {found.group()}"


def main(arguments):
    top = arguments[0] if arguments else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    wrong = 0
    for name, (target, home, limit) in CLASSES.items():
        found = list(places(top, target, home, name))
        print("\n".join(found))
        print(f"{name} is changed in {len(found)} files besides its own, at most {limit}")
        wrong += len(found) > limit
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
