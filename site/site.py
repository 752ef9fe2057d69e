#!/usr/bin/env python3
"""Builds the site: the pages of docs/, and a reference generated from the program.

  site/site.py PROGRAM        .build/site/pages from docs/ and PROGRAM; .build/site/html by Zensical, in strict mode

Each page is also at its address with .md for .html, and llms.txt lists all of them.

The reference has a page for each command (site/manual.py), and an article for each rule and each of Apple's error codes
(site/articles.py). The start page has a search for codes in pasted text. Pages fetch nothing from other hosts: fonts,
scripts and the search index are local, which is checked. .ci/install.sh site installs Zensical.
Exit: 0; 1 if a link is broken, a page fetches from another host, or names an option that the program does not have, or
the program does not explain a code in docs/.
"""
import json
import os
import re
import shutil
import subprocess
import sys

import manual
from articles import Articles

# Options of other programs, and of the library that reads the command line, that pages mention.
FOREIGN = set("""
--address --archive --ats-diagnostics --background --build --cacert --check --console --dbname --debug --device
--discretionary --download --download-directory --dports --dump-header --environment-variables --exit-on-error --file
--generate-completion-script --header --help-hidden --ignore-location --include --info --last --level --location
--no-colors --no-install-recommends --now --only --output-path --path --predicate --process --process-name
--read-only --retry --rm --roles-only --schema --security-opt --set --strip-components --style --tls-diagnostics
--to-ports --trust --user --user-agent --versions
""".split())
PAGES, HTML = ".build/site/pages", ".build/site/html"
TOOL = ".build/zensical"
PROJECT = "config/packages/project.env"


def write(path, text):
    place = os.path.join(PAGES, path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "w", encoding="utf-8") as file:
        file.write(text)


def plain(text):
    """Markdown without its marks and links."""
    return re.sub(r"\[([^\]]+)\]\((?:[^()]|\(\))+\)", r"\1", text).replace("`", "")


def articles(made):
    """The pages of rules and codes, the lists of both, and the index of the start page's search."""
    entries = []
    for folder, title, pages in (("rules", "Rules", {name: made.rule(name) for name in made.rules}),
                                 ("codes", "Codes", {f"{number}": made.code(number) for number in made.codes})):
        rows = []
        for name, (lead, text) in pages.items():
            write(f"{folder}/{name}.md", f"---\ndescription: {json.dumps(plain(lead))}\n---\n{text}")
            heading = re.search("^# (.*)$", text, re.MULTILINE)[1]
            rows.append(f"- [{heading}]({name}.md)" + (f": {plain(lead)}" if folder == "codes" else ""))
            words = plain(lead) if folder == "codes" else ""
            entries.append({"page": f"{folder}/{name}.html", "title": heading, "words": words})
        write(f"{folder}/index.md", f"# {title}\n\n" + "\n".join(rows) + "\n")
    with open("site/site.js", encoding="utf-8") as script:
        write("site.js", f"const answers = {json.dumps(entries)};\n{script.read()}")


def start(made):
    """The start page: a search, the usual codes, and the README's picture and first minute."""
    with open("README.md", encoding="utf-8") as file:
        intro, *parts = re.split("^## ", file.read(), flags=re.MULTILINE)
    sections = {part.split("\n", 1)[0]: part.split("\n", 1)[1].strip() for part in parts}
    title, what, picture, why = intro.strip().split("\n\n")
    usual = sorted(made.codes, key=lambda number: (-sum(map(len, made.by_cause(number).values())), -number))[:8]
    codes = "\n".join(f"- [-{number} {made.codes[number]['name']}](codes/{number}.md)" for number in usual)
    with open("site/start.html", encoding="utf-8") as file:
        search = file.read().strip()
    text = "\n\n".join([
        title, what, search, "The codes with the most public reports:", codes, "## Install", sections["Install"],
        "## First minute", sections["First minute"], picture, why, "Everything else: [contents](contents.md)."])
    return text.replace("[docs/install.md](", "[Install](").replace("](docs/", "](")


def pages(made):
    """The start page and the pages of docs/. Links to other files lead to the repository; without a project address they are removed."""
    homepage = subprocess.run(
        ["bash", "-c", f'. {PROJECT} && printf %s "$HOMEPAGE"'], check=True, capture_output=True, text=True).stdout
    shutil.copytree("docs", PAGES)
    os.rename(os.path.join(PAGES, "README.md"), os.path.join(PAGES, "contents.md"))
    write("index.md", start(made))
    for folder, _, names in os.walk(PAGES):
        for name in (name for name in names if name.endswith(".md")):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            here = os.path.relpath(folder, PAGES)

            def lead(match):
                target = os.path.normpath(os.path.join(here, match.group(2)))
                if target == "README.md":
                    return f"[{match.group(1)}]({os.path.relpath('contents.md', here or '.')}{match.group(3) or ''})"
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


def heading(text):
    """The first heading of a page, without marks."""
    return plain(re.search("^# (.*)$", text, re.MULTILINE)[1])


def copies():
    """Copies every page as Markdown next to its HTML, and lists all of them in llms.txt (llmstxt.org)."""
    with open(os.path.join(PAGES, "contents.md"), encoding="utf-8") as file:
        sections = re.split("^## ", file.read(), flags=re.MULTILINE)[1:]
    listed, lines = set(), []
    for section in sections:
        title, *rows = section.split("\n")
        found = [re.match(r"\| \[[^\]]*\]\(([^)#]+\.md)\) \| (.*) \|$", row) for row in rows]
        found = [match for match in found if match]
        if found:
            lines += ["", f"## {title}"] + [f"- [{match[1][:-3]}]({match[1]}): {plain(match[2])}" for match in found]
            listed.update(match[1] for match in found)
    others = {}
    for folder, _, names in os.walk(PAGES):
        for name in sorted(name for name in names if name.endswith(".md")):
            path = os.path.relpath(os.path.join(folder, name), PAGES)
            with open(os.path.join(PAGES, path), encoding="utf-8") as file:
                text = re.sub(r"\A---\n.*?\n---\n", "", file.read(), flags=re.DOTALL)
            place = os.path.join(HTML, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "w", encoding="utf-8") as file:
                file.write(text)
            if path not in listed and path not in ("index.md", "contents.md"):
                others.setdefault(os.path.dirname(path) or "other pages", []).append(f"- [{heading(text)}]({path})")
    for group in sorted(others):
        lines += ["", f"## {'CI' if group == 'ci' else group.capitalize()}"] + sorted(others[group])
    summary = "Enforces an app's App Transport Security dictionary on live traffic, and explains what a device would do."
    with open(os.path.join(HTML, "llms.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(["# atsgate", "", f"> {summary}", "", "Every page of this site is also Markdown, with `.md` "
                              "for `.html`. Coding agents can use the command `atsgate mcp`: agents.md."] + lines) + "\n")
    return len(listed) + sum(map(len, others.values()))


def options(known):
    """The options of pages that are neither known nor another program's."""
    for folder, _, names in os.walk(PAGES):
        for name in (name for name in names if name.endswith(".md")):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", file.read()))
            yield from (f"{os.path.join(folder, name)}: {option}" for option in found - known - FOREIGN)


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
    made = Articles(program)
    if len(made.codes) < 30:
        sys.exit(f"site: the program explains only {len(made.codes)} of the codes in docs/law/errors.md")
    pages(made)
    commands = list(manual.described(program).all())
    unknown = sorted(options({name for command in commands for option in command.options for name in option.names}))
    if unknown:
        sys.exit("site: options that no command has:\n" + "\n".join(unknown))
    articles(made)
    for command in commands:
        write(f"commands/{'index' if command is commands[0] else command.page}.md", manual.markdown(command))
    shutil.copy("site/site.toml", ".build/site/zensical.toml")
    shutil.copy("site/site.css", f"{PAGES}/site.css")
    environment = dict(os.environ, PYTHONPATH=os.path.abspath(TOOL))
    built = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "-f", "zensical.toml"], cwd=".build/site",
        env=environment, capture_output=True, text=True, check=False)
    if built.returncode != 0:
        sys.exit(built.stdout + built.stderr)
    copied = copies()
    found = list(foreign())
    if found:
        sys.exit("site: fetched from other hosts:\n" + "\n".join(found[:20]))
    print(f"{HTML}: {len(made.rules)} rules, {len(made.codes)} codes, {copied} pages also as Markdown, no broken links, "
          "nothing fetched from other hosts")


main()
