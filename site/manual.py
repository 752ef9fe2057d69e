#!/usr/bin/env python3
"""Writes the program's commands and options as man pages; site/site.py writes them as pages of the site.

  site/manual.py PROGRAM FOLDER    atsgate.1, atsgate-proxy.1, atsgate-recordings-list.1 and so on

Everything comes from --experimental-dump-help (swift-argument-parser), including the options that --help leaves out, so
nothing is written twice. GenerateManual, the plugin of swift-argument-parser 1.8, leaves them out, too, and has no titles
for groups of options. The date of a page is SOURCE_DATE_EPOCH's, or else that of the last commit.

Sources: man-pages(7), groff_man(7) for the pages; reproducible-builds.org, "SOURCE_DATE_EPOCH".
Exit: 0, or 1 if the program prints no description of itself.
"""
import datetime
import json
import os
import re
import subprocess
import sys

FILES = [
    ("/etc/atsgate/atsgate.conf", "Options of the service that the Linux packages install; see --config."),
    ("~/.local/share/atsgate, $XDG_DATA_HOME/atsgate", "On Linux: the local CA and the store of records."),
    ("~/Library/Application Support/atsgate", "The same on macOS."),
]
ENVIRONMENT = [
    ("ATSGATE_OPTION", "Sets --option of the gate: ATSGATE_PORT_FILE is --port-file. The command line wins."),
    ("NO_COLOR", "If set and not empty, output has no colors."),
    ("XDG_DATA_HOME", "On Linux: the folder that contains atsgate's data."),
]
# Options that every command has; they come last.
EVERYWHERE = {"--help", "--version", "--help-hidden"}


class Option:
    """An option, a flag or an argument."""

    def __init__(self, facts):
        names = [(name["kind"] == "long", name["name"]) for name in facts.get("names") or []]
        # Short names first, as in -v, --verbose.
        self.names = [("--" if is_long else "-") + name for is_long, name in sorted(names, key=lambda name: name[0])]
        self.value = facts["valueName"] if facts["kind"] != "flag" else ""
        self.summary = facts.get("abstract") or ""
        self.discussion = " ".join((facts.get("discussion") or "").split())
        self.title = facts.get("sectionTitle") or ("Options" if self.names else "Arguments")
        if self.title == "Options" and EVERYWHERE.intersection(self.names):
            self.title = "About the command"
        text = self.value + (" ..." if facts["isRepeating"] else "")
        self.usage = f"[{text}]" if facts["isOptional"] else text


class Command:
    """A command, with the names of its parent commands."""

    def __init__(self, facts, above=()):
        words = [*above, facts["commandName"]]
        self.name, self.page = " ".join(words), "-".join(words)
        self.summary, self.discussion = facts.get("abstract", ""), facts.get("discussion", "")
        self.options = [Option(one) for one in facts.get("arguments", [])]
        self.commands = [
            Command(one, words) for one in facts.get("subcommands", []) if one["commandName"] != "help"]

    def all(self):
        yield self
        for command in self.commands:
            yield from command.all()

    def sections(self):
        """Options by title, in the order of the program's own help."""
        found = {}
        for option in sorted(self.options, key=lambda option: option.title == "About the command"):
            found.setdefault(option.title, []).append(option)
        return found.items()

    def usage(self):
        """The words after the name, as (text, is a placeholder)."""
        words = [("[options]", False)] if any(option.names for option in self.options) else []
        words += [(option.usage, True) for option in self.options if not option.names]
        return words + [("command", True)] * bool(self.commands)


def described(program):
    """The program's command with all others in it."""
    shown = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True).stdout
    return Command(json.loads(shown)["command"])


def paragraphs(text):
    """Text split into paragraphs and examples, which are indented lines: (is an example, text)."""
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.split("\n")
        prose = [line.strip() for line in lines if not line.startswith("  ")]
        example = [line.strip() for line in lines if line.startswith("  ")]
        yield from [(False, " ".join(prose))] * any(prose)
        yield from [(True, "\n".join(example))] * bool(example)


def roff(text):
    """Text escaped for troff."""
    for character, written in (("\\", "\\e"), ("-", "\\-"), ("’", "\\(cq"), ("“", "\\(lq"), ("”", "\\(rq")):
        text = text.replace(character, written)
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def bold(text):
    return f"\\fB{roff(text)}\\fR"


def placeholder(text):
    return f"\\fI{roff(text)}\\fR" if text else ""


def man(command, root, version, date):
    usage = [placeholder(word) if is_value else bold(word) for word, is_value in command.usage()]
    lines = [
        f'.TH "{command.page.upper()}" "1" "{date}" "atsgate {version}" "User Commands"',
        ".SH NAME", f"{roff(command.page)} \\- {roff(command.summary.rstrip('.'))}",
        ".SH SYNOPSIS", " ".join([bold(command.name), *usage]), *[".SH DESCRIPTION"] * bool(command.discussion),
    ]
    for is_example, text in paragraphs(command.discussion):
        lines += [".PP", ".RS 4", ".nf", roff(text), ".fi", ".RE"] if is_example else [".PP", roff(text)]
    for title, options in command.sections():
        lines.append(f'.SH "{roff(title.upper())}"')
        for option in options:
            head = " ".join(filter(None, [", ".join(map(bold, option.names)), placeholder(option.value)]))
            lines += [".TP", head, roff(option.summary)]
            lines += [".IP", roff(option.discussion)] if option.discussion else []
    tables = [("COMMANDS", [(f"{bold(inner.page)}(1)", inner.summary) for inner in command.commands])]
    tables += [(title, [(bold(head), text) for head, text in rows])
               for title, rows in (("ENVIRONMENT", ENVIRONMENT), ("FILES", FILES))]
    for title, rows in tables:
        lines += [f".SH {title}"] * bool(rows)
        for head, text in rows:
            lines += [".TP", head, roff(text)]
    if command is not root:
        lines += [".SH SEE ALSO", ", ".join(f"{bold(one.page)}(1)" for one in [root, *command.commands])]
    return "\n".join(lines).replace("DESCRIPTION\n.PP\n", "DESCRIPTION\n") + "\n"


def plain(text):
    """Text escaped for Markdown and HTML."""
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", text)


def markdown(command):
    usage = [f"<{word}>" if is_value and word[0] != "[" else word for word, is_value in command.usage()]
    parts = [f"# {command.name}", plain(command.summary), "\n".join(["```text", " ".join([command.name, *usage]), "```"])]
    for is_example, text in paragraphs(command.discussion):
        parts.append(f"```sh\n{text}\n```" if is_example else plain(text))
    for title, options in command.sections():
        parts.append(f"## {title}")
        for option in options:
            value = f"<{option.value}>" if option.value else ""
            head = " ".join(filter(None, [", ".join(option.names), value]))
            parts.append(f"`{head}`\n:   {plain(' '.join(filter(None, [option.summary, option.discussion])))}")
    if command.commands:
        inner = [f"- [{inner.name}]({inner.page}.md): {plain(inner.summary)}" for inner in command.commands]
        parts += ["## Commands", "\n".join(inner)]
    return "\n\n".join(parts) + "\n"


def main(program, folder):
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or subprocess.run(
        ["git", "log", "-1", "--format=%ct"], check=True, capture_output=True, text=True).stdout
    date = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).date()
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    root = described(program)
    os.makedirs(folder, exist_ok=True)
    for command in root.all():
        with open(os.path.join(folder, f"{command.page}.1"), "w", encoding="utf-8") as file:
            file.write(man(command, root, version, date))
    print(f"{len(list(root.all()))} pages in {folder}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
