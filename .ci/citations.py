#!/usr/bin/env python3
"""Checks the tree's references to itself: every cited topic and path exists, and every rule id and contradiction has a
topic.

usage: citations.py         in any folder of the package

Prints nothing if all is well. Exit: 0, or 1 with a line for each missing target.
"""

import os
import re
import subprocess
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
tracked = subprocess.run(["git", "ls-files", "-z"], capture_output=True, check=True).stdout.decode().split("\0")
complaints = []


def text(path):
    try:
        return open(path, encoding="utf-8").read()
    except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
        return ""


def anchor(heading):
    """The anchor that GitHub makes of a heading: lower case, hyphens for spaces, no other punctuation."""
    words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


def anchors(path):
    body = re.sub(r"^```.*?^```", "", text(path), flags=re.MULTILINE | re.DOTALL)
    return {anchor(heading) for heading in re.findall(r"^#+ +(.+?) *$", body, re.MULTILINE)}


def check(place, page, topic):
    if not os.path.isfile(page):
        complaints.append(f"{place}: no page {page}")
    elif topic and page.endswith(".md") and topic not in known.setdefault(page, anchors(page)):
        complaints.append(f"{place}: no topic #{topic} in {page}")


known = {}
# A document that is not part of this package.
foreign = "ats-" + "semantics"
for path in filter(None, tracked):
    # A link's target is checked itself, and the compiler finds the files of embedded resources.
    if os.path.islink(path) or path == "Sources/CResources/resources.c":
        continue
    for number, line in enumerate(text(path).splitlines(), 1):
        place = f"{path}:{number}"
        if foreign in line:
            complaints.append(f"{place}: cites {foreign}, which is not in the repository")
        for page, topic in re.findall(r"\bdocs/([\w./-]+\.(?:md|json))(?:#([\w-]+))?", line):
            check(place, "docs/" + page, topic)
        if path.endswith(".md"):
            for named in re.findall(r"`((?:Sources|Tests|config|docker|\.ci)/[\w./+-]+)`", line):
                # NAME is a placeholder for something new; sources.md names files of other projects.
                if path != "docs/sources.md" and "NAME" not in named and "TARGET" not in named and not os.path.exists(named):
                    complaints.append(f"{place}: there is no {named}")
            for page, topic in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([\w-]+))?\)", line):
                check(place, os.path.normpath(os.path.join(os.path.dirname(path), page)) if page else path, topic)

verdicts = text("docs/verdicts.md")
kinds = "ats|trust|tls|net|app|http|client|gate"
rules = {rule for path in tracked if re.fullmatch(r"Sources/ATSPolicy/.*\.swift", path)
         for rule in re.findall(rf'(?:RuleID\(|case \w+ = )"((?:{kinds})\.[a-z-]+)"', text(path))}
explained = set(re.findall(r"^### (\S+)$", verdicts, re.MULTILINE))
complaints += [f"docs/verdicts.md: nothing on the rule {rule}" for rule in sorted(rules - explained)]
complaints += [f"docs/verdicts.md: {rule} is not a rule" for rule in sorted(explained - rules)]

linted = {rule for path in tracked if re.fullmatch(r"Sources/Diagnosis/Lint/Rules/.*\.swift", path)
          for rule in re.findall(r'"(lint\.[a-z-]+)"', text(path))}
listed = set(re.findall(r"^\| `(lint\.[a-z-]+)` \|", text("docs/lint.md"), re.MULTILINE))
complaints += [f"docs/lint.md: it lacks or should not have {rule}" for rule in sorted(linted ^ listed)]

disputes = set(re.findall(r'= "(C\d+)"', text("Sources/ATSPolicy/Judge/Contradiction.swift")))
page = text("docs/contradictions.md")
complaints += [f"docs/contradictions.md: nothing on {dispute}" for dispute in sorted(disputes)
               if not re.search(rf"^## {dispute}$", page, re.MULTILINE)]

suites = {}
for suite, test in re.findall(r"`(\w+Tests/\w+)\.(\w+)`", text("docs/threat-model.md")):
    if suite not in suites:
        folder, name = suite.split("/")
        files = [path for path in tracked if path.startswith(f"Tests/{folder}/") and path.endswith(".swift")]
        suites[suite] = "\n".join(body for body in map(text, files) if re.search(rf"\b(struct|class|extension) {name}\b", body))
    if not re.search(rf"\bfunc {test}\(", suites[suite]):
        complaints.append(f"docs/threat-model.md: no test {suite}.{test}")

# Options of other programs that the pages mention.
foreign_options = {
    "ats-diagnostics", "background", "discretionary", "download", "download-directory", "dump-header", "help-hidden",
    "ignore-location", "tls-diagnostics", "archive", "cacert", "generate-completion-script", "quick", "help", "set", "read-only",
    "build", "now", "rm", "console", "debug", "device", "environment-variables", "info", "last", "no-colors", "output-path", "path",
    "predicate", "process", "process-name", "dports", "to-ports", "security-opt", "style", "exit-on-error",
    "roles-only", "no-install-recommends", "strip-components",
}
sources = "\n".join(text(path) for path in tracked if path.startswith("Sources/"))
spelt = set(re.findall(r'"([a-z][a-z0-9-]+)"', sources))
# ArgumentParser makes --allow-lan of allowLAN.
declared = {name.lower() for name in re.findall(r"\b(?:var|case) (\w+)", sources)}
for path in (path for path in tracked if path == "README.md" or re.fullmatch(r"docs/.*\.md", path)):
    for option in sorted(set(re.findall(r"(?<![\w-])--([a-z][a-z0-9-]+)", text(path))) - foreign_options):
        if option not in spelt and option.replace("-", "") not in declared:
            complaints.append(f"{path}: no option --{option}")

print("\n".join(complaints), end="\n" if complaints else "")
sys.exit(1 if complaints else 0)
