#!/usr/bin/env python3
"""Builds the site: the pages of docs/, and a reference generated from the program.

  .ci/site.py PROGRAM        .build/site/pages from docs/ and PROGRAM; .build/site/html by Zensical, in strict mode

The reference has a page for each command (.ci/manual.py), each rule and each of Apple's error codes; the last two are
the output of `explain`. Pages fetch nothing from other hosts: fonts, scripts and the search index are local, which is
checked. .ci/install.sh site installs Zensical.
Exit: 0; 1 if a link is broken, a page fetches from another host, or the program does not explain a code in docs/.
"""
import json
import os
import re
import shutil
import subprocess
import sys

PAGES, HTML = ".build/site/pages", ".build/site/html"
TOOL = ".build/zensical"
PROJECT = "config/packages/project.env"


def explained(program, subject):
    """The explanation of a rule or a code, as text and as JSON; None if the program does not know it."""
    asked = subprocess.run([program, "explain", "--json", subject], capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        return None
    words = subprocess.run([program, "explain", subject], check=True, capture_output=True, text=True).stdout
    return json.loads(asked.stdout), words


def write(path, text):
    place = os.path.join(PAGES, path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "w", encoding="utf-8") as file:
        file.write(text)


def linked(words, rules=()):
    """The text of `explain`, with links to the pages and rules that it names."""
    names = sorted(set(re.findall(r"docs/([\w./-]+\.md)(#[\w-]+)?", words)))
    links = [f"- [{page}{anchor}](../{page}{anchor})" for page, anchor in names]
    links += [f"- [{rule}](../rules/{rule}.md)" for rule in rules if re.search(rf"(?<![\w.]){rule}(?![\w-])", words)]
    return f"```text\n{words.strip()}\n```\n" + ("\n## Read more\n\n" + "\n".join(links) + "\n" if links else "")


def table(title, subject, head, rows):
    return "\n".join(
        [f"# {title}", "", f"The output of `atsgate explain {subject}`.", "", f"| {head} |", "|---|---|"] + rows) + "\n"


def rules(program):
    with open("docs/verdicts.md", encoding="utf-8") as file:
        names = re.findall(r"^### (\S+)$", file.read(), re.MULTILINE)
    rows = []
    for name in names:
        facts, words = explained(program, name) or sys.exit(f"site: the program does not explain {name}")
        write(f"rules/{name}.md", f"# {name}\n\n{facts['title']}.\n\n{linked(words)}")
        rows.append(f"| [{name}]({name}.md) | {facts['title'].replace('|', ' ')} |")
    write("rules/index.md", table("Rules", "RULE", "rule | is about", rows))
    return names


def numbers(program, rules_known):
    with open("docs/law/errors.md", encoding="utf-8") as file:
        text = file.read()
    named = {int(number) for number in re.findall(r"(?<![\w.:/])-(\d{3,4})\b", text)}
    for first, last in re.findall(r"-(\d{4}) to -(\d{4})", text):
        named |= set(range(int(first), int(last) + 1))
    found = []
    for number in sorted(named):
        answer = explained(program, f"\u2212{number}")
        if answer is None:
            continue
        facts, words = answer
        name = facts.get("name") or ""
        domain = "NSURLErrorDomain" if number < 2000 else "_kCFStreamErrorCodeKey"
        log = f"`{domain} -{number}` in a log of a device."
        write(f"codes/{number}.md", f"# -{number} {name}\n\n{log}\n\n{linked(words, rules_known)}")
        found.append(f"| [-{number}]({number}.md) | {name} |")
    if len(found) < 30:
        sys.exit(f"site: the program explains only {len(found)} of the codes in docs/law/errors.md")
    write("codes/index.md", table("Codes", "CODE", "code | name", found))
    return len(found)


def pages():
    """The pages of docs/. Links to other files lead to the repository; without a project address they are removed."""
    homepage = subprocess.run(
        ["bash", "-c", f'. {PROJECT} && printf %s "$HOMEPAGE"'], check=True, capture_output=True, text=True).stdout
    shutil.copytree("docs", PAGES)
    for folder, _, names in os.walk(PAGES):
        for name in (name for name in names if name.endswith(".md")):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            here = os.path.relpath(folder, PAGES)

            def lead(match):
                target = os.path.normpath(os.path.join(here, match.group(2)))
                if target == "README.md":
                    return f"[{match.group(1)}]({os.path.relpath('index.md', here or '.')}{match.group(3) or ''})"
                if not target.startswith("..") and not target.endswith(".swift"):
                    return match.group()
                if not homepage:
                    return match.group(1)
                place = os.path.normpath(os.path.join("docs", target))
                return f"[{match.group(1)}]({homepage}/blob/main/{place}{match.group(3) or ''})"

            # The second word of a code block's mark is for tests; Zensical would not recognize the block.
            text = re.sub(r"^```(\w+) \w+$", r"```\1", text, flags=re.MULTILINE)
            changed = re.sub(r"\[([^\]]*)\]\((?!https?:|#)([^)#\s]+)(#[\w-]+)?\)", lead, text)
            with open(path, "w", encoding="utf-8") as file:
                file.write(changed)
    os.rename(os.path.join(PAGES, "README.md"), os.path.join(PAGES, "index.md"))


def foreign():
    """The URLs that a page would fetch from other hosts."""
    for folder, _, names in os.walk(HTML):
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(".html"):
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                for tag in re.findall(r"<(?:script|link|img|iframe|source|video)\b[^>]*>", text):
                    if re.search(r'(?:src|href)="?(?:https?:)?//', tag) and "canonical" not in tag:
                        yield f"{path}: {tag}"
            elif name.endswith(".css"):
                with open(path, encoding="utf-8") as file:
                    yield from (f"{path}: {url}" for url in re.findall(r"url\((?:https?:)?//[^)]*\)", file.read()))


def main():
    program = os.path.abspath(sys.argv[1])
    shutil.rmtree(".build/site", ignore_errors=True)
    pages()
    known = rules(program)
    count = numbers(program, known)
    subprocess.run([".ci/manual.py", "markdown", program, f"{PAGES}/commands"], check=True, stdout=subprocess.DEVNULL)
    os.rename(f"{PAGES}/commands/atsgate.md", f"{PAGES}/commands/index.md")
    for folder, _, names in os.walk(f"{PAGES}/commands"):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace("](atsgate.md)", "](index.md)"))
    shutil.copy("config/site.toml", ".build/site/zensical.toml")
    shutil.copy("config/site.css", f"{PAGES}/site.css")
    environment = dict(os.environ, PYTHONPATH=os.path.abspath(TOOL))
    built = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "-f", "zensical.toml"], cwd=".build/site",
        env=environment, capture_output=True, text=True, check=False)
    if built.returncode != 0:
        sys.exit(built.stdout + built.stderr)
    found = list(foreign())
    if found:
        sys.exit("site: fetched from other hosts:\n" + "\n".join(found[:20]))
    print(f"{HTML}: {len(known)} rules, {count} codes, no broken links, nothing fetched from other hosts")


main()
