#!/usr/bin/env python3
"""Compares docs/architecture.md with the code.

usage: architecture.py [TOP]    TOP is the tree to check, by default the one that contains this script

Checks that the page's table of targets matches Package.swift, that each target imports only rows below its own, that
all files named on the page exist, and that its tables of transitions, events and effects match Sources/ProxyCore.
Prints nothing if all is well. Exit: 0; 1 with a line for each difference; 2 if one of them cannot be read.
"""
import os
import re
import sys

sys.dont_write_bytecode = True
from swiftcode import code_of  # noqa: E402  beside this script

PAGE = "docs/architecture.md"
MACHINES = "Sources/ProxyCore"


class Unreadable(Exception):
    """Something that this script expects is missing."""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def block(text, start, opener, closer):
    """The text between the bracket at or after `start` and its closing bracket."""
    begin = text.index(opener, start) + 1
    depth, index = 1, begin
    while depth:
        depth += {opener: 1, closer: -1}.get(text[index], 0)
        index += 1
    return text[begin:index - 1]


def declared():
    """The targets of Package.swift below Sources, with their allowed imports."""
    text = read("Package.swift")
    text = text[text.index("let package ="):]
    text = re.sub(r'\.product\(\s*name: "(\w+)",\s*package: "[^"]*"\s*\)', r'"\1"', text)
    found, systems = {}, set()
    for call in re.finditer(r"(?<![\w.])library\(|\.(target|executableTarget|systemLibrary)\(", text):
        inside = block(text, call.end() - 1, "(", ")")
        if call.group(1) is None:
            name, *imports = re.findall(r'"(\w+)"', inside.split("exclude:")[0])
        else:
            name = re.search(r'name:\s*"(\w+)"', inside).group(1)
            listed = "dependencies:" in inside and block(inside, inside.index("dependencies:"), "[", "]")
            imports = re.findall(r'"(\w+)"', listed or "")
        if call.group(1) == "systemLibrary" or os.path.isdir(f"Sources/{name}/include"):
            systems.add(name)
        elif os.path.isdir(f"Sources/{name}"):
            found[name] = set(imports)
    folders = {name for name in os.listdir("Sources") if os.path.isdir(f"Sources/{name}")}
    if folders != found.keys() | systems:
        raise Unreadable(f"Package.swift: cannot find {sorted(folders ^ (found.keys() | systems))}")
    return found


def section(page, heading):
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", page, re.MULTILINE | re.DOTALL)
    if not found:
        raise Unreadable(f"{PAGE}: no topic “{heading}”")
    rows = [line.split("|")[1:-1] for line in found.group(1).splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in row] for row in rows]


def targets(page):
    code, problems = declared(), []
    rows = [(row[0].strip("`"), set(re.findall(r"[`*](\w+)[`*]", row[2]))) for row in section(page, "Targets")]
    drawn = dict(rows)
    problems += [f"{PAGE}: lacks the target {name}" for name in code.keys() - drawn.keys()]
    problems += [f"{PAGE}: {name} is not a target" for name in drawn.keys() - code.keys()]
    for index, (name, imports) in enumerate(rows):
        if name in code and imports != code[name]:
            problems.append(f"{PAGE}: {name} and Package.swift differ in {', '.join(sorted(imports ^ code[name]))}")
        above = [other for other, _ in rows[:index + 1] if other in imports]
        problems += [f"{PAGE}: {name} imports {other}, which is not below it" for other in above]
    return problems


def files(page):
    there = {name for base in ("Sources", "Tests") for _, _, names in os.walk(base) for name in names}
    named = set(re.findall(r"`([\w+]+\.swift)`", page))
    if len(named) < 50:
        raise Unreadable(f"{PAGE}: names hardly any file")
    return [f"{PAGE}: no file {name}" for name in named - there]


def transitions(page):
    """Every `.become` and `.linger` of a machine; those in a static function count for its callers."""
    codes = {name: code_of(read(os.path.join(folder, name))) for folder, _, names in os.walk(MACHINES)
             for name in names if name.endswith(".swift")}
    machines = {}
    for name, code in codes.items():
        if found := re.search(r"\bclass (\w+): (?:Session|Acquiring)Machine\b", code):
            machines[found.group(1)] = (name, code)
    if len(machines) < 5:
        raise Unreadable(f"{MACHINES}: contains hardly any machine")
    became, made, problems = set(), {}, []
    for machine, (name, code) in machines.items():
        for function in re.finditer(r"\bstatic func (\w+)\b[^{}]*-> Transition \{", code):
            body = block(code, function.end() - 1, "{", "}")
            made[machine, function.group(1)] = steps(body)
            code = code.replace(body, "", 1)
        machines[machine] = (name, code)
    for machine, (_, code) in machines.items():
        became |= {(machine, to) for to in steps(code)}
        for (maker, function), results in made.items():
            if re.search(rf"\b{maker}\.{function}\(", code):
                became |= {(machine, to) for to in results}
    known = {name for name, _ in machines.values()} | {"ProxySession.swift", "SessionMachine.swift"}
    problems += [f"{MACHINES}/{name}: a transition outside a machine's file" for name, code in codes.items()
             if name not in known and steps(code)]
    drawn = {(row[0].strip("`"), row[1].strip("`")) for row in section(page, "The session")}
    problems += [f"{PAGE}: lacks the transition from {one} to {other}" for one, other in became - drawn]
    problems += [f"{PAGE}: no transition from {one} to {other}" for one, other in drawn - became]
    return problems


def steps(code):
    found = set(re.findall(r"\.become\(\s*(\w+)\(", code))
    if len(re.findall(r"(?<!\w)\.become\(", code)) > len(re.findall(r"\.become\(\s*\w+\(", code)):
        raise Unreadable(f"{MACHINES}: a transition to something without a name")
    return found | ({"LingeringClose"} if re.search(r"(?:return|[?:{])\s*\.linger\b(?!\s*(?:,|where\b))", code) else set())


def messages(page):
    home = [os.path.join(folder, name) for folder, _, names in os.walk(MACHINES) for name in names
            if name == "SessionMachine.swift"]
    code, problems = code_of(read(home[0] if home else f"{MACHINES}/SessionMachine.swift")), []
    for name, heading in (("SessionEvent", "Events"), ("SessionEffect", "Effects")):
        body = block(code, code.index(f"enum {name}"), "{", "}")
        cases = set(re.findall(r"^\s*(?:indirect )?case (\w+)", body, re.MULTILINE))
        drawn = {word for row in section(page, heading) for word in re.findall(r"`(\w+)`", row[0])}
        problems += [f"{PAGE}: {heading} lack {case}" for case in cases - drawn]
        problems += [f"{PAGE}: {heading}: there is no {case}" for case in drawn - cases]
    return problems


def main(arguments):
    os.chdir(arguments[0] if arguments else os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    try:
        page = read(PAGE)
        problems = targets(page) + files(page) + transitions(page) + messages(page)
    except (Unreadable, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(sorted(problems)), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
