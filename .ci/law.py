#!/usr/bin/env python3
"""Keeps ATSPolicy free of options, and decisions free of text: ATSPolicy contains no option of the command, and no code
decides by the beginning of a sentence or of a rule's id.

usage: law.py [TOP]    TOP is the tree to check, by default the one that contains this script

Refuses in Sources/ATSPolicy a string that begins like an option, "--". Refuses in all of Sources a comparison with a
sentence, such as `hasPrefix("No key")` or `hasSuffix`, where a case should be compared, and `hasPrefix("tls.")`, which
is the job of RuleCategory. Setup and Evidence are exempt, because they read the output of other programs. Prints
nothing if all is well. Exit: 0, or 1 with a line for each.
"""
import os
import re
import sys

OPTION = re.compile(r'"--[a-z]')
SENTENCE = re.compile(r'\.has(?:Prefix|Suffix)\("[^"\\]*[A-Za-z] [^"]*"\)')
CATEGORY = re.compile(r'\.hasPrefix\("(?:ats|trust|app|tls|net|http|client|gate)\."\)')
READERS = ("Sources/Setup/", "Sources/Evidence/")


def look_at(path, text):
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("//"):
            continue
        if path.startswith("Sources/ATSPolicy/") and OPTION.search(line):
            yield f"{path}:{number}: spells an option of the command: name a case, and spell it in Diagnosis"
        if not path.startswith(READERS) and (found := SENTENCE.search(line)):
            yield f"{path}:{number}: decides by a sentence, {found.group()}: compare a case"
        if found := CATEGORY.search(line):
            yield f"{path}:{number}: decides by the beginning of an id, {found.group()}: use RuleCategory"


def main(arguments):
    os.chdir(arguments[0] if arguments else os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    told = []
    for folder, _, names in sorted(os.walk("Sources")):
        for path in sorted(os.path.join(folder, name) for name in names if name.endswith(".swift")):
            with open(path, encoding="utf-8") as file:
                told += look_at(path, file.read())
    print("\n".join(told), end="\n" if told else "")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
