#!/usr/bin/env python3
"""Counts unclear phrases in comments and strings of Sources and Tests, and in documents.

  .ci/words.py [--list [WORDS] | --lower]

The phrases and their budgets are in .ci/words.txt. Exit: 1 if a budget is exceeded, or larger than in the last commit
or its parent. --list prints each place, or only those with WORDS; --lower writes the counts as the new budgets.
"""
import re
import subprocess
import sys

TABLE = ".ci/words.txt"
# A literal of code; a comment can be several lines of //, # or --. Strings in interpolations end the outer string.
QUOTED, APOSTROPHES, LONG = r'"(?:\\.|[^"\\\n])*"', r"'(?:\\.|[^'\\\n])*'", '""".*?"""'
SLASHES = r"(?P<comments>//[^\n]*(?:\n[ \t]*//[^\n]*)*|/\*.*?\*/)|(?P<strings>%s)"
HASHES = r"(?P<comments>(?<!\S)#[^\n]*(?:\n[ \t]*#[^\n]*)*)|(?P<strings>%s)"
LITERALS = {
    "swift": r"#/.*?/#|" + SLASHES % f'#".*?"#|{LONG}|{QUOTED}', "c": SLASHES % QUOTED, "h": SLASHES % QUOTED,
    "js": SLASHES % f"`[^`]*`|{QUOTED}|{APOSTROPHES}", "sh": HASHES % f"{QUOTED}|{APOSTROPHES}",
    "py": HASHES % f"{LONG}|{QUOTED}|{APOSTROPHES}",
    "md": r"\A(?P<documents>.*)", "sql": r"(?P<comments>--[^\n]*(?:\n[ \t]*--[^\n]*)*)|(?P<strings>%s)" % APOSTROPHES}
NAMES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "docs/*.md"]
NAMES += [f"{top}/*.{kind}" for top in ("Sources", "Tests") for kind in LITERALS if kind != "md"]
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
MARKS = re.compile(r"^[ \t]*(?:/+\**|#+|--+|\*)", re.MULTILINE)


def texts(path, text):
    """Yields the kind, position and text of each comment, string with a space, or document."""
    def blanked(code, text):
        return code.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)

    for literal in re.finditer(LITERALS[path.rsplit(".", 1)[-1]], text, re.DOTALL):
        kind, shown = literal.lastgroup, literal.group()
        if kind == "comments":
            shown = blanked(MARKS, shown)
        if kind and (kind != "strings" or " " in shown):
            yield kind, literal.start(), shown if kind == "strings" else blanked(CODE, shown)


def table(text):
    """The budgets, and what to write instead of each phrase."""
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    budgets = {name: int(number) for name, number in rows[:3]}
    # A phrase can continue on the next line.
    return budgets, {re.compile(phrase.replace(" ", r"\s+"), re.I | re.M): instead for phrase, instead in rows[3:]}


def main(arguments):
    with open(TABLE, encoding="utf-8") as file:
        written = file.read()
    budgets, phrases = table(written)
    counts = dict.fromkeys(budgets, 0)
    files = subprocess.run(["git", "ls-files", *NAMES], capture_output=True, text=True, check=True).stdout.splitlines()
    for path in files:
        with open(path, encoding="utf-8", errors="replace") as file:
            source = file.read()
        for kind, start, text in texts(path, source):
            for phrase, instead in phrases.items():
                for match in phrase.finditer(text):
                    counts[kind] += 1
                    found = " ".join(match.group().split())
                    if arguments[:1] == ["--list"] and all(word in found.lower() for word in arguments[1:]):
                        print(f"{path}:{source.count(chr(10), 0, start + match.start()) + 1}: “{found}”: {instead}")
    if arguments == ["--lower"]:
        budgets = {kind: min(counts[kind], budget) for kind, budget in budgets.items()}
        with open(TABLE, "w", encoding="utf-8") as file:
            file.write(re.sub(r"(?m)^(\w+)\t\d+$", lambda row: f"{row[1]}\t{budgets[row[1]]}", written))
    faults = [f"phrases in {kind}: {counts[kind]}, allowed: {most}; see .ci/words.py --list"
              for kind, most in budgets.items() if counts[kind] > most]
    for commit in ("HEAD", "HEAD^"):
        old = subprocess.run(["git", "show", f"{commit}:{TABLE}"], capture_output=True, text=True, check=False)
        if old.returncode == 0:
            faults += [f"{TABLE}: the budget of {kind} rose from {most} to {budgets[kind]}: budgets may only fall"
                       for kind, most in table(old.stdout)[0].items() if budgets[kind] > most]
    return "\n".join(sorted(set(faults))) or 0


sys.exit(main(sys.argv[1:]))
