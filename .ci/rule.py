#!/usr/bin/env python3
"""Creates the skeleton of a rule: its file, its line in the rule book, its test's row and its topic in
docs/verdicts.md.

usage: rule.py NAME [TOP]    NAME such as ats.key-size or trust.expired; TOP is the tree, by default this script's

The result compiles, and its tests fail until the rule is complete: replace the sentences that begin with "Say", and
write the example that breaks the rule. Prints the files. Exit: 0; 64 if the name is invalid or taken, with nothing
written.
"""
import os
import re
import sys

BOOK = "Sources/ATSPolicy/Rules/RuleBook.swift"
ROWS = "Tests/ATSPolicyTests/AppleDetailTests.swift"
VERDICTS = "docs/verdicts.md"

RULE = """extension RuleID {
    public static let %(member)s = RuleID("%(name)s", .%(category)s)
}

extension Rule {
    /// Say what is required, of which handshakes, and since when. Source: say the public document; docs/law/%(page)s.
    static let %(member)s = Rule(
        .%(member)s, "Say what is wrong, as a title",
        source: "Say the public document; docs/law/%(page)s", confidence: .inferred,
        consequence: .certificate(
            .trust,
            remedy: { _, finding in "Say what to change on the server. Observed: \\(finding.observed)." }),
        check: { handshake in
            guard handshake.demands != nil else { return .notInForce }
            let isBroken = handshake.host.isEmpty
            return isBroken ? .fail(expected: "say what was expected", observed: "say what was there") : .pass
        },
        examples: {
            [
                RuleExample("say how it is broken", .fail) { $0.changeLeaf { $0.keyBits = 0 } },
                RuleExample("say what is just good enough", .pass),
                RuleExample("ATS does not apply", .notInForce) { $0.demands = nil },
            ]
        })
}
"""
TOPIC = """### %(name)s

Say in one sentence what it means. [Say the topic](law/%(page)s).

"""


class Refused(Exception):
    """The reason why the rule cannot be created."""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def once(text, old, new, path):
    if text.count(old) != 1:
        raise Refused(f"{path}: expected exactly once: {old.strip()}, found {text.count(old)} times")
    return text.replace(old, new)


def member(name, law):
    """The rule's name in Swift: keySize for ats.key-size, trustKeySize if that is taken."""
    category, _, rest = name.partition(".")
    for words in (rest.split("-"), [category] + rest.split("-")):
        called = words[0] + "".join(word.capitalize() for word in words[1:])
        if not re.search(rf"\bstatic let {called}\b", law):
            return called
    raise Refused(f"{name}: {called} is already declared")


def texts(name):
    """The new content of each file, by path."""
    found = re.fullmatch(r"(ats|trust)\.[a-z][a-z0-9]*(?:-[a-z0-9]+)*", name)
    if not found:
        raise Refused(f"{name}: write a name like ats.words-like-these or trust.words-like-these")
    law = "\n".join(read(os.path.join(folder, file)) for folder, _, files in os.walk("Sources/ATSPolicy")
                    for file in files if file.endswith(".swift"))
    if f'"{name}"' in law:
        raise Refused(f"{name}: is already a rule")
    called = member(name, law)
    facts = {"name": name, "category": found.group(1), "member": called, "page": "trust.md"}
    path = f"Sources/ATSPolicy/Rules/Rule+{called[0].upper() + called[1:]}.swift"
    if os.path.exists(path):
        raise Refused(f"{path}: already exists")
    row = "            (.revoked, -9886),\n"
    topics = read(VERDICTS)
    last = [topic for topic in re.finditer(r"^### (\S+)\n.*?(?=^#|\Z)", topics, re.MULTILINE | re.DOTALL)
            if topic.group(1).startswith(found.group(1) + ".")]
    if not last:
        raise Refused(f"{VERDICTS}: no topic of {found.group(1)}")
    return {
        path: RULE % facts,
        BOOK: once(read(BOOK), "\n    ])\n", f"\n        .{called},\n    ])\n", BOOK),
        ROWS: once(read(ROWS), row, f"{row}            (.{called}, -9886),\n", ROWS),
        VERDICTS: topics[:last[-1].end()] + TOPIC % facts + topics[last[-1].end():],
    }


def main(arguments):
    if not 1 <= len(arguments) <= 2 or not arguments[0]:
        print("usage: make rule NAME=ats.words-like-these", file=sys.stderr)
        return 64
    os.chdir(arguments[1] if len(arguments) == 2 else os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    try:
        written = texts(arguments[0])
    except Refused as refusal:
        print(refusal, file=sys.stderr)
        return 64
    for path, text in written.items():
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        print(path)
    print("Replace each sentence that begins with “say”, and move the rule to its place in the order of decisions.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
