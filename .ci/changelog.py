#!/usr/bin/env python3
"""Prints the changes of a release: the subjects of its commits, grouped by target.

  .ci/changelog.py VERSION > CHANGES-VERSION.md

The list begins after the newest tag vX.Y.Z before this commit, or with the first commit. CHANGELOG.md, written by hand,
has the changes that users notice. Exit: 0, or 1 if CHANGELOG.md has no section for the version.
"""
import re
import subprocess
import sys

version = sys.argv[1]


def git(*words):
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout


with open("CHANGELOG.md", encoding="utf-8") as file:
    sections = re.split(r"^## ", file.read(), flags=re.MULTILINE)[1:]
told = next((section for section in sections if section.split()[0] == version), None)
if told is None:
    sys.exit(f"changelog: CHANGELOG.md has no section ## {version}")

tags = git("tag", "--list", "v*", "--merged", "HEAD", "--sort=-creatordate").split()
tags = [tag for tag in tags if tag != f"v{version}"]
commits = git("log", "--no-merges", "--format=%h %s", f"{tags[0]}..HEAD" if tags else "HEAD").splitlines()
rooms = {}
for commit in commits:
    short, subject = commit.split(" ", 1)
    room, _, change = subject.partition(": ")
    rooms.setdefault(room if change else "Other", []).append((short, change or subject))

print(f"# atsgate {version}\n\n{told.split(chr(10), 1)[1].strip()}\n")
print(f"## Every commit\n\n{len(commits)} since {tags[0] if tags else 'the beginning'}.\n")
for room in sorted(rooms, key=str.lower):
    print(f"### {room}\n")
    for short, change in rooms[room]:
        print(f"- {change} ({short})")
    print()
