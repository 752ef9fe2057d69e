#!/usr/bin/env python3
"""Writes the program's commands and options as man pages, or as pages of the site.

  .ci/manual.py man PROGRAM FOLDER         atsgate.1, atsgate-proxy.1, atsgate-recordings-list.1 and so on
  .ci/manual.py markdown PROGRAM FOLDER    one page for each command, and one with the list of them

Everything comes from --experimental-dump-help (swift-argument-parser), including the options that --help leaves out, so
nothing is written twice. The date of a page is SOURCE_DATE_EPOCH's, or else that of the last commit.

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


class Command:
    """One command, with the names of its parent commands."""

    def __init__(self, facts, above):
        self.words = above + [facts["commandName"]]
        self.name = " ".join(self.words)
        self.page = "-".join(self.words)
        self.summary = facts.get("abstract", "")
        self.discussion = facts.get("discussion", "")
        self.arguments = facts.get("arguments", [])
        inner = [one for one in facts.get("subcommands", []) if one["commandName"] != "help"]
        self.commands = [Command(one, self.words) for one in inner]

    def all(self):
        yield self
        for command in self.commands:
            yield from command.all()

    def sections(self):
        """The titles and options, in the order of the program's own help."""
        found = {}
        for argument in self.arguments:
            title = "Arguments" if argument["kind"] == "positional" else argument.get("sectionTitle") or "Options"
            found.setdefault(title, []).append(argument)
        # Options that every command has come last.
        everywhere = ("--help", "--version", "--help-hidden")
        general = [one for one in found.get("Options", []) if spellings(one)[-1] in everywhere]
        if "Options" in found and general:
            found["Options"] = [one for one in found["Options"] if one not in general]
            found["About the command"] = general
        return [(title, options) for title, options in found.items() if options]

    def synopsis(self):
        """The command with its arguments, as (text, is a placeholder)."""
        words = [(self.name, False)]
        if any(one["kind"] != "positional" for one in self.arguments):
            words.append(("[options]", False))
        for one in self.arguments:
            if one["kind"] == "positional":
                text = one["valueName"] + (" ..." if one["isRepeating"] else "")
                words.append((f"[{text}]" if one["isOptional"] else text, True))
        if self.commands:
            words.append(("command", True))
        return words


def spellings(argument):
    """The spellings of an option, as in -v, --verbose; short names first."""
    long = [f"--{name['name']}" for name in argument["names"] or [] if name["kind"] == "long"]
    short = [f"-{name['name']}" for name in argument["names"] or [] if name["kind"] == "short"]
    return short + long


def paragraphs(text):
    """Text split into paragraphs and examples, which are indented lines: (is an example, text)."""
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        prose, example = [], []
        for line in block.split("\n"):
            if line.startswith("  "):
                example.append(line.strip())
            else:
                prose.append(line.strip())
        if prose:
            yield False, " ".join(prose)
        if example:
            yield True, "\n".join(example)


def roff(text):
    """Text escaped for troff."""
    for character, written in (("\\", "\\e"), ("-", "\\-"), ("’", "\\(cq"), ("“", "\\(lq"), ("”", "\\(rq")):
        text = text.replace(character, written)
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def roff_text(text):
    lines = []
    for is_example, part in paragraphs(text):
        lines += [".PP"] if not is_example else [".PP", ".RS 4", ".nf"]
        lines.append(roff(part))
        if is_example:
            lines += [".fi", ".RE"]
    return lines


def roff_options(options):
    lines = []
    for one in options:
        value = f"\\fI{roff(one['valueName'])}\\fR" if one.get("valueName") else ""
        if one["kind"] == "positional":
            head = value
        else:
            head = ", ".join(f"\\fB{roff(name)}\\fR" for name in spellings(one))
            head += f" {value}" if one["kind"] == "option" else ""
        lines += [".TP", head, roff(one.get("abstract") or "")]
        discussion = one.get("discussion")
        if discussion:
            lines += [".IP", roff(" ".join(discussion.split()))]
    return lines


def man(command, root, version, date):
    name = roff(command.page)
    lines = [
        f'.TH "{command.page.upper()}" "1" "{date}" "atsgate {version}" "User Commands"',
        ".SH NAME", f"{name} \\- {roff(command.summary.rstrip('.'))}", ".SH SYNOPSIS",
        " ".join(f"\\f{'I' if is_value else 'B'}{roff(word)}\\fR" for word, is_value in command.synopsis()),
    ]
    if command.discussion:
        lines += [".SH DESCRIPTION"] + roff_text(command.discussion)[1:]
    for title, options in command.sections():
        lines += [f'.SH "{roff(title.upper())}"'] + roff_options(options)
    if command.commands:
        lines.append(".SH COMMANDS")
        for inner in command.commands:
            lines += [".TP", f"\\fB{roff(inner.page)}\\fR(1)", roff(inner.summary)]
    for title, rows in (("ENVIRONMENT", ENVIRONMENT), ("FILES", FILES)):
        lines.append(f".SH {title}")
        for head, text in rows:
            lines += [".TP", f"\\fB{roff(head)}\\fR", roff(text)]
    beside = [root.page] + [inner.page for inner in command.commands]
    if command is not root:
        lines += [".SH SEE ALSO", ", ".join(f"\\fB{roff(page)}\\fR(1)" for page in beside)]
    return "\n".join(lines) + "\n"


def plain(text):
    """Text escaped for Markdown and HTML."""
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", text)


def markdown(command, _root, _version, _date):
    usage = " ".join(f"<{word}>" if is_value and word[0] != "[" else word for word, is_value in command.synopsis())
    lines = [f"# {command.name}", "", plain(command.summary), "", "```text", usage, "```", ""]
    for is_example, part in paragraphs(command.discussion):
        lines += ["```sh", part, "```", ""] if is_example else [plain(part), ""]
    for title, options in command.sections():
        lines += [f"## {title}", ""]
        for one in options:
            value = f" <{one['valueName']}>" if one["kind"] == "option" else ""
            head = f"<{one['valueName']}>" if one["kind"] == "positional" else ", ".join(spellings(one)) + value
            text = " ".join(filter(None, [one.get("abstract"), " ".join((one.get("discussion") or "").split())]))
            lines += [f"`{head}`", f":   {plain(text)}", ""]
    if command.commands:
        lines += ["## Commands", ""]
        lines += [f"- [{inner.name}]({inner.page}.md): {plain(inner.summary)}" for inner in command.commands]
    return "\n".join(lines).rstrip() + "\n"


def day():
    """The date of the pages."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or subprocess.run(
        ["git", "log", "-1", "--format=%ct"], check=True, capture_output=True, text=True).stdout
    return datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).date()


def main():
    form, program, folder = sys.argv[1:]
    dump = json.loads(subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True).stdout)
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    root = Command(dump["command"], [])
    write, ending = {"man": (man, ".1"), "markdown": (markdown, ".md")}[form]
    os.makedirs(folder, exist_ok=True)
    pages = list(root.all())
    for command in pages:
        with open(os.path.join(folder, command.page + ending), "w", encoding="utf-8") as file:
            file.write(write(command, root, version, day()))
    print(f"{len(pages)} pages in {folder}")


if len(sys.argv) != 4 or sys.argv[1] not in ("man", "markdown"):
    sys.exit(__doc__)
main()
