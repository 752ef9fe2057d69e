#!/usr/bin/env python3
"""Texts that people read are in plain technical English: who does what to which thing.

Looks for phrases that readers stumbled over, in the README, docs, the page and the texts of commands. Prints each with
its place. Exit: 0, or 1 when there is one.
"""
import re
import subprocess
import sys

# What nobody outside the project says, and what to say in its place.
phrases = {
    r"\bis none\. ": "say what it is not",
    r"\bis said to\.": "say who says what",
    r"\bis looked after\b": "is checked",
    r"nobody else's business": "say who may see it",
    r"other people's hosts": "hosts of others",
    r"\bTHE LAW\b|the law you choose|one law and another": "the dictionary, the rules",
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
     "Sources/ControlPlane/Page/*.js", "Sources/Reporting/HTML/Templates/*"], capture_output=True, text=True,
    check=True).stdout.split()

found = 0
for path in pages + programs:
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if path.endswith((".swift", ".js")) and line.lstrip().startswith(("//", "/*", "*")):
                continue
            for phrase, instead in phrases.items():
                if re.search(phrase, line):
                    found += 1
                    print(f"{path}:{number}: “{re.search(phrase, line).group()}”: {instead}")
sys.exit(1 if found else 0)
