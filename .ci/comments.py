#!/usr/bin/env python3
"""Checks comments: citations exist, each unchecked access has a reason, and so has each sleep.

usage: comments.py [TOP]    TOP is the tree to check, by default the one that contains this script

Refuses an empty citation, `()`; a citation of a section without its document, or of a document that is not in the
repository; and a metaphor for a target. In Sources it also refuses `@exclusivity(unchecked)`, `nonisolated(unsafe)`,
`unowned(unsafe)` and `@unchecked Sendable` without a comment that contains "Unchecked" or "Unsafe", in the lines up to
it without an empty line between; the same for a subscript of an `UnsafeRawBufferPointer`, or of the bytes of a queue,
which release builds do not check: `ByteView` does; and a sleep without a comment on the same line or directly above.
Prints nothing if all is well.
Exit: 0, or 1 with a line for each.
"""
import os
import re
import sys

sys.dont_write_bytecode = True
from swiftcode import code_of  # noqa: E402  beside this script

UNCHECKED = re.compile(r"@exclusivity\(unchecked\)|(?:nonisolated|unowned)\(unsafe\)|@unchecked Sendable")
# A name of this type or for the bytes of a queue, and the bytes of a ByteQueue. `[...]` takes all bytes.
RAW = re.compile(r"\b(\w+)\s*:\s*(?:inout\s+)?UnsafeRawBufferPointer\b|"
                 r"\b(?:let|var)\s+(\w+)\s*=\s*(?:UnsafeRawBufferPointer\b|[\w.]+\.bytes$)", re.M)
WHOLE = r"\[(?!\.\.\.\])"
QUEUE = re.compile(r"\.bytes" + WHOLE)
SLEEP = re.compile(r"\b(?:u|nano|pg_)?sleep\(|\b(?:Thread|Task)\.sleep\b")
REASON = re.compile(r"\b(?:Unchecked|Unsafe)\b|\bSafe without\b")
# A section without a document: "design, section 4", "(3.1, ...)". A version follows its system's name: "(iOS 13.5)".
PAPERS = re.compile(
    r"\b[Tt]he design's section|\bdesign, section"
    r"|[(;] ?[1-9]\d?\.\d{1,2}(?=[,)]| \((?:inferred|observed|documented|source)\))")
METAPHORS = re.compile(r"(?i)\b(?:cellar|street door|letter format|(?:ground )?floor \d|ground floor)\b")


def comments(text):
    """The comment of each line that has one, with its number."""
    code = code_of(text).split("\n")
    for number, line in enumerate(text.split("\n"), 1):
        unquoted = re.sub(r'"(?:\\.|[^"\\])*"', lambda quoted: " " * len(quoted.group()), line)
        if (at := unquoted.find("//", len(code[number - 1].rstrip()))) >= 0:
            yield number, line[at:]


def look_at(path, text):
    told = []
    for number, comment in comments(text):
        # A call is in backquotes, or has its name before the parentheses.
        if re.search(r"(?:^|[\s,;])\(\)", re.sub(r"`[^`]*`", "code", comment)):
            told.append(f"{path}:{number}: empty citation: ()")
        if paper := PAPERS.search(comment):
            told.append(f"{path}:{number}: cites a document that is missing here: {paper.group().lstrip('(; ')}")
        told += [f"{path}:{number}: cites a document that is missing here: {page}"
                 for page in re.findall(r"[\w./-]+\.md\b", comment) if not os.path.isfile(page)]
        if metaphor := METAPHORS.search(comment):
            told.append(f"{path}:{number}: metaphor for a target: {metaphor.group()}")
    if path.startswith("Sources/"):
        told += unreasoned(path, text)
    return told


def scope(code, start):
    """The end of the code that knows the name declared at `start`: a parameter's function, or the block around it."""
    parentheses = braces = 0
    is_parameter = False
    for index in range(start, len(code)):
        letter = code[index]
        if is_parameter and braces == 0 and (letter == "}" or code.startswith("\n\n", index)):
            return start
        parentheses += (letter == "(") - (letter == ")")
        braces += (letter == "{") - (letter == "}")
        is_parameter = is_parameter or parentheses < 0
        if braces < 0 or letter == "}" and is_parameter and braces == 0:
            return index
    return len(code)


def raw_reads(code):
    """The lines, from 0, that take bytes of a raw buffer or a queue by an index that no release build checks."""
    places = [found.start() for found in QUEUE.finditer(code)]
    for declared in RAW.finditer(code):
        reads = re.compile(r"(?<![\w.])(?:self\.)?" + (declared[1] or declared[2]) + WHOLE)
        places += [found.start() for found in reads.finditer(code, declared.end(), scope(code, declared.end()))]
    return {code.count("\n", 0, place) for place in places}


def unreasoned(path, text):
    lines, code = text.split("\n"), code_of(text).split("\n")
    remarks, raw = dict(comments(text)), raw_reads(code_of(text))

    def beside(index, goes_on):
        """The comments on the line, and on the lines directly above that are comments or belong to it (`goes_on`)."""
        first = index
        while first > 0 and (lines[first - 1].lstrip().startswith("//") or goes_on(code[first - 1])):
            first -= 1
        return [remarks[number] for number in range(first + 1, index + 2) if number in remarks]

    for index, line in enumerate(code):
        if found := UNCHECKED.search(line):
            if not any(map(REASON.search, beside(index, lambda above: above.strip()))):
                yield f"{path}:{index + 1}: no comment says why {found.group()} is safe"
        if index in raw and not any(map(REASON.search, beside(index, lambda above: above.strip()))):
            yield f"{path}:{index + 1}: reads a raw buffer without a check: use ByteView"
        # pg_sleep is in a string literal.
        if found := SLEEP.search(lines[index].split("//")[0]):
            if not beside(index, lambda above: False):
                yield f"{path}:{index + 1}: no comment says why it sleeps: {found.group()}"


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
