#!/usr/bin/env python3
"""Holds comments to what they are for: a source that is there, a reason for each access that nobody checks, and for each wait
that no event ends.

usage: comments.py [TOP]    TOP is the tree to look at, without it the one this script is in

Refuses a comment that cites nothing, `()`; one that cites a section of a document that is not named, or that is not in
the repository; one with a metaphor for a target; and in Sources an `@exclusivity(unchecked)`, `nonisolated(unsafe)`,
`unowned(unsafe)` or `@unchecked Sendable` without a comment that says why it is safe, by the word "Unchecked" or
"Unsafe", among the lines up to it without an empty one between, and a sleep without a comment on it or right above.
Prints nothing when all is well.
Exit: 0, or 1 with a line for each.
"""
import os
import re
import sys

sys.dont_write_bytecode = True
from swiftcode import code_of  # noqa: E402  beside this script

UNCHECKED = re.compile(r"@exclusivity\(unchecked\)|(?:nonisolated|unowned)\(unsafe\)|@unchecked Sendable")
SLEEP = re.compile(r"\b(?:u|nano|pg_)?sleep\(|\b(?:Thread|Task)\.sleep\b")
REASON = re.compile(r"\b(?:Unchecked|Unsafe)\b|\bSafe without\b")
# A section of nothing: "design, section 4", "(3.1, ...)". A version has its system's name in front: "(iOS 13.5)".
PAPERS = re.compile(
    r"\b[Tt]he design's section|\bdesign, section"
    r"|[(;] ?[1-9]\d?\.\d{1,2}(?=[,)]| \((?:inferred|observed|documented|source)\))")
METAPHORS = re.compile(r"(?i)\b(?:cellar|street door|letter format|(?:ground )?floor \d|ground floor)\b")


def comments(text):
    """Each line's comment, with its number; a line without one is left out."""
    code = code_of(text).split("\n")
    for number, line in enumerate(text.split("\n"), 1):
        unquoted = re.sub(r'"(?:\\.|[^"\\])*"', lambda quoted: " " * len(quoted.group()), line)
        if (at := unquoted.find("//", len(code[number - 1].rstrip()))) >= 0:
            yield number, line[at:]


def look_at(path, text):
    told = []
    for number, comment in comments(text):
        # A call is written in backquotes, or with its name before the parentheses.
        if re.search(r"(?:^|[\s,;])\(\)", re.sub(r"`[^`]*`", "code", comment)):
            told.append(f"{path}:{number}: cites nothing: ()")
        if paper := PAPERS.search(comment):
            told.append(f"{path}:{number}: cites what readers do not have: {paper.group().lstrip('(; ')}")
        told += [f"{path}:{number}: cites what readers do not have: {page}"
                 for page in re.findall(r"[\w./-]+\.md\b", comment) if not os.path.isfile(page)]
        if metaphor := METAPHORS.search(comment):
            told.append(f"{path}:{number}: says what no page explains: {metaphor.group()}")
    if path.startswith("Sources/"):
        told += unreasoned(path, text)
    return told


def unreasoned(path, text):
    lines, code = text.split("\n"), code_of(text).split("\n")
    remarks = dict(comments(text))

    def beside(index, goes_on):
        """What comments say on the line, and on those right above it that are comments or `goes_on` with it."""
        first = index
        while first > 0 and (lines[first - 1].lstrip().startswith("//") or goes_on(code[first - 1])):
            first -= 1
        return [remarks[number] for number in range(first + 1, index + 2) if number in remarks]

    for index, line in enumerate(code):
        if found := UNCHECKED.search(line):
            if not any(map(REASON.search, beside(index, lambda above: above.strip()))):
                yield f"{path}:{index + 1}: nothing says why {found.group()} is safe"
        # A server's sleep stands in a literal.
        if found := SLEEP.search(lines[index].split("//")[0]):
            if not beside(index, lambda above: False):
                yield f"{path}:{index + 1}: nothing says why there is no event to wait for: {found.group()}"


def main(arguments):
    top = arguments[0] if arguments else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    os.chdir(top)
    paths = [os.path.join(folder, name) for base in ("Sources", "Tests") for folder, _, names in os.walk(base)
             for name in names if name.endswith(".swift")]
    told = []
    for path in sorted(paths) + ["Package.swift"]:
        with open(path, encoding="utf-8") as file:
            told += look_at(path, file.read())
    print("\n".join(told), end="\n" if told else "")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
