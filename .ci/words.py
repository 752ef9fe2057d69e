#!/usr/bin/env python3
"""Texts that people read are in plain technical English: who does what to which thing. So are the names of types.

Looks for phrases that readers stumbled over, in the README, docs, the page and the texts of commands; for types of
Sources that are named by a metaphor or a participle; for values that are called a card though no reader of a page sees one; and for two
targets with a type of one name. Prints each with its place. Exit: 0, or 1 when there is one.
"""
import re
import subprocess
import sys
from collections import defaultdict

sys.dont_write_bytecode = True
from swiftcode import code_of  # noqa: E402  beside this script

# What nobody outside the project says, and what to say in its place.
phrases = {
    r"\bis none\. ": "say what it is not",
    r"\bis said to\.": "say who says what",
    r"\bis looked after\b": "is checked",
    r"nobody else's business": "say who may see it",
    r"other people's hosts": "hosts of others",
    r"\b(?-i:THE LAW)\b|the law you choose|one law and another": "the dictionary, the rules",
    r"would free": "what to add to the dictionary",
    r"\bhow far it is\b": "name the state",
    r"Nothing meets these": "no load matches",
    r"would mend it": "how to fix it",
    r"\bis told\b": "say who says it, and where",
    r"\btold of\b": "is mentioned, is reported",
    r"\b[Ww]hoever\b": "everybody who, somebody who",
    r"what it came to": "name the result",
    r"\b(what|that|this) mends\b|\bmends it\b|\bwhat mends\b": "what fixes it, what to do",
    r"\bhas all four\b": "name what it has",
    r"\b(stands?|stay|stays|lies) beside\b|\bbeside (it|them)\b": "next to, in addition to",
    r"\bstands? behind\b|\ball others stand behind\b": "follows, after",
    r"\btold here by\b": "rules of atsgate",
    r"\bno key frees\b": "no key of the dictionary covers",
    r"street door|\bcellar\b|\bground floor\b": "name the target",
}
# Text for readers alone: of programs, only what stands in quotes.
pages = subprocess.run(
    ["git", "ls-files", "README.md", "CONTRIBUTING.md", "docs/*.md", "docs/ci/*.md"], capture_output=True, text=True,
    check=True).stdout.split()
programs = subprocess.run(
    ["git", "ls-files", "Sources/atsgate/*.swift", "Sources/Reporting/*.swift", "Sources/Diagnosis/*.swift", "Sources/Setup/*.swift",
     "Sources/Onboarding/*.swift", "Sources/Probe/*.swift", "Sources/ProxyCore/*.swift", "Sources/ControlPlane/*.swift",
     "Sources/Onboarding/Page/*", "Sources/ControlPlane/Page/*", "Sources/Reporting/HTML/Templates/*"], capture_output=True, text=True,
    check=True).stdout.split()

# Words of a type's name that an engineer who knows HTTP, TLS and SQLite does not use for it.
metaphors = {"Bench", "Card", "Desk", "Door", "Fate", "Intake", "Manner", "Meeting", "Paint", "Seat", "Shelf", "Shelves",
             "Tale", "Teller"}
# A card that readers of a page see as one.
shown_as_cards = {"HTMLCard"}
# Parts of a record are called what they say: origin, client, policy. Cards are what a page shows.
part_as_card = re.compile(r"\b(?:[a-z]\w*C|c)ards?\b")
# What was done to a thing does not say what the thing is.
participles = {"Accepted", "Asked", "Dialed", "Handed", "Hidden", "Kept", "Known", "Lingering", "Opened", "Reported", "Ruled",
               "Settled", "Shown", "Stopped", "Told", "Unused"}
declaration = re.compile(
    r"^(?P<modifiers>[^\S\n]*(?:(?:public|package|internal|private|fileprivate|final|indirect|nonisolated)\s+)*)"
    r"(?:class|struct|enum|actor|protocol|typealias)\s+(?P<name>[A-Z]\w*)", re.MULTILINE)
sources = subprocess.run(
    ["git", "ls-files", "Sources/*.swift"], capture_output=True, text=True, check=True).stdout.split()

found = 0
targets = defaultdict(dict)
for path in sources:
    with open(path, encoding="utf-8") as file:
        code = code_of(file.read())
    for match in () if path.startswith("Sources/Reporting/HTML/") else part_as_card.finditer(code):
        found += 1
        print(f"{path}:{code.count(chr(10), 0, match.start()) + 1}: {match.group()}: call it by the part that it is")
    for match in declaration.finditer(code):
        name, place = match["name"], f"{path}:{code.count(chr(10), 0, match.start('name')) + 1}"
        words = {word.removesuffix("s") if word != "Shelves" else word for word in re.findall(r"[A-Z][a-z]+", name)}
        if name in participles or words & metaphors and name not in shown_as_cards:
            found += 1
            print(f"{place}: type {name}: call it what it is in HTTP, TLS, SQLite or Swift")
        if not match["modifiers"][:1].isspace() and "private" not in match["modifiers"]:
            targets[name].setdefault(path.split("/")[1], place)
for name, places in sorted(targets.items()):
    if len(places) > 1:
        found += 1
        print(f"type {name} is in {len(places)} targets: {', '.join(sorted(places.values()))}")
for path in pages + programs:
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if path.endswith((".swift", ".js")) and line.lstrip().startswith(("//", "/*", "*")):
                continue
            for phrase, instead in phrases.items():
                if match := re.search(phrase, line, re.IGNORECASE):
                    found += 1
                    print(f"{path}:{number}: “{match.group()}”: {instead}")
sys.exit(1 if found else 0)
