#!/usr/bin/env python3
"""Compares the commits of a submission with the template in CONTRIBUTING.md.

usage: commits.py [TOP]    TOP is the repository to check, by default the one that contains this script

Checks the commit that added this script and every later one, without merges and without branches that began before it.
In a shallow clone only the available commits are checked. The subject names a target or a part of the tree, and
describes the change in the imperative, in at most 72 characters: "Room: forget sessions of another law". The body has
three paragraphs, which begin with "Problem: ", "Change: " and "Proof: ".

Prints nothing if all is well. Exit: 0; 1 with a line for each commit that does not match; 2 if git fails.
"""
import os
import re
import subprocess
import sys

SCRIPT = ".ci/commits.py"
SUBJECT = re.compile(r"[A-Za-z][\w.+/-]*(?:, [A-Za-z][\w.+/-]*)*: (?P<first>[A-Za-z][\w-]*) \S.*[^.\s]")
SUBJECT_CHARACTERS = 72
PARAGRAPHS = ("Problem", "Change", "Proof")
# Words that cannot begin an imperative.
NO_VERBS = set("a an the this that these those it its what who which how when where why there no not each every all "
               "both some one two more fewer is are was were has have had in on at of by with without for from".split())
# Verbs whose ending looks like the past tense or the third person.
VERBS = set("bed embed feed need seed shed speed succeed exceed proceed bring ring sing string swing cling sting wing "
            "bias alias focus process address access pass press discuss express compress guess miss cross toss".split())

# Commits that were pushed without a review, and why they stay: "ID": "reason".
EXCEPTIONS = {}


def is_imperative(word):
    word = word.lower()
    if word in NO_VERBS:
        return False
    return word in VERBS or not re.search(r"(?:ed|ing|[^s]s)$", word)


def complaints(subject, body):
    found = SUBJECT.fullmatch(subject)
    if len(subject) > SUBJECT_CHARACTERS:
        yield f"the subject has {len(subject)} characters, at most {SUBJECT_CHARACTERS}"
    if not found:
        yield "the subject does not match “Target: imperative …” without a full stop"
    elif not is_imperative(found.group("first")):
        yield f"the subject does not begin with a verb in the imperative: {found.group('first')}"
    places = [re.search(rf"^{name}:\s+\S", body, re.MULTILINE) for name in PARAGRAPHS]
    for name, place in zip(PARAGRAPHS, places):
        if not place:
            yield f"the body has no paragraph “{name}: …”"
    starts = [place.start() for place in places if place]
    if starts != sorted(starts):
        yield f"the paragraphs of the body are not in the order {', '.join(PARAGRAPHS)}"


def git(*arguments):
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout


def submitted():
    """The id, subject and body of each commit to check, the newest first."""
    brought = git("log", "--diff-filter=A", "--format=%H", "--", SCRIPT).split()
    if not brought:
        return
    first = brought[-1]
    form = "--format=%H%x00%s%x00%b%x01"
    found = git("log", "--no-merges", "--ancestry-path", form, f"{first}..HEAD")
    # In a shallow clone a merge may appear as the first commit.
    if len(re.findall(r"^parent ", git("cat-file", "commit", first).partition("\n\n")[0], re.MULTILINE)) < 2:
        found += git("log", "-1", form, first)
    for one in found.split("\x01")[:-1]:
        yield one.strip("\n").split("\x00", 2)


def main(arguments):
    os.chdir(arguments[0] if arguments else os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    try:
        told = [f"{commit[:12]} {subject}: {complaint}" for commit, subject, body in submitted()
                if commit not in EXCEPTIONS for complaint in complaints(subject, body)]
    except (subprocess.CalledProcessError, OSError) as error:
        print(getattr(error, "stderr", None) or error, file=sys.stderr)
        return 2
    print("\n".join(told), end="\n" if told else "")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
