"""The articles of the site: a page for each rule and each of Apple's error codes. site/site.py uses it.

All facts are from `explain --json`, from docs/ and from the public reports in Tests/Agreement; site/articles.toml has
the rest.
"""
import ipaddress
import json
import re
import subprocess
import sys
import tomllib
from textwrap import indent
from urllib.parse import urlsplit

with open("site/articles.toml", "rb") as settings:
    WORDS = tomllib.load(settings)
SYSTEMS = {"ios": "iOS", "macos": "macOS", "tvos": "tvOS", "watchos": "watchOS", "visionos": "visionOS"}
# A "line" of a server that is a step for a person, not configuration.
STEP = re.compile(r"(?:add|import|remove|request|security policy|select|then|viewer protocol|write)\b")


def explained(program, subject):
    """The explanation of a rule or a code; None if the program does not know it."""
    asked = subprocess.run([program, "explain", "--json", subject], capture_output=True, text=True, check=False)
    return json.loads(asked.stdout) if asked.returncode == 0 else None


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def is_local(url):
    host = urlsplit(url).hostname
    try:
        return bool(ipaddress.ip_address(host))
    except ValueError:
        return "." not in host or host.endswith((".local", ".localhost"))


def cause(case):
    """The rule that a case of Tests/Agreement shows, or the number of a cause of -1022."""
    if case["url"].startswith("http:"):
        shape = is_local(case["url"]), bool(case.get("dictionary"))
        return next(place for place, one in enumerate(WORDS["cleartext"]) if (one["local"], one["keys"]) == shape)
    origin = case.get("origin") or ("pins" if "NSPinnedDomains" in case["dictionary"] else None)
    if origin is not None and origin not in WORDS["origins"]:
        sys.exit(f"site/articles.toml: [origins] lacks \"{origin}\", which {case['id']} in Tests/Agreement has")
    return WORDS["explained"].get(case["id"]) or WORDS["origins"].get(origin) or None


def reports():
    """The public reports of blocked loads whose cause is known: (code, stream code, cause, case), each source once."""
    seen = set()
    for name in ("reports", "logs", "nscurl"):
        for case in map(json.loads, read(f"Tests/Agreement/{name}.jsonl").splitlines()):
            device = case["device"]
            if device["outcome"] == "allowed" or "unknown" in case or "code" not in device:
                continue
            found = (device["code"], device.get("stream"), cause(case))
            if found[2] is not None and (found, case["source"]) not in seen:
                seen.add((found, case["source"]))
                yield *found, case


def sentence(text):
    return text[:1].upper() + text[1:] + "." * (not text.endswith("."))


def marked(text):
    """Keys, options and commands as code."""
    return re.sub(r"(?<![`\w])(?:NS[A-Z]\w+|--[a-z-]+(?: FILE)?|atsgate (?:probe|explain) [\w:/]*HOST)", r"`\g<0>`", text)


def quoted(case):
    """A report as an item of a list."""
    source = case["source"]
    known = re.match(r"https://github\.com/([^/]+/[^/]+)/(issues|pull)/(\d+)", source)
    label = f"{known[1]} {known[3]}" if known else re.sub(r"^https://(?:www\.)?|/$", "", source)
    system = re.match(r"([a-z]+)(.*)", case["system"])
    place = f"{SYSTEMS[system[1]]} {system[2]}" + (", assumed" if "assumed" in case else "")
    return f"- {f'[{label}]({source})' if source.startswith('https:') else label} ({place}): {marked(case['words'])}"


def entry(exception):
    """The sentence of an exception, or a key of the dictionary with its value, as the XML of Info.plist."""
    host = re.match(r'NSExceptionDomains "([^"]+)": ', exception)
    lines = [part for key, value in re.findall(r"(\w+) = ([\w.]+)", exception) for part in (
        f"<key>{key}</key>", f"<{value}/>" if value in ("true", "false") else f"<string>{value}</string>")]
    for key in filter(None, [host and host[1], host and "NSExceptionDomains", "NSAppTransportSecurity"]):
        lines = [f"<key>{key}</key>", "<dict>", *(" " + line for line in lines), "</dict>"]
    return block("xml", lines)


def block(language, lines):
    return "\n".join([f"```{language}", *lines, "```"])


# A code with more alerts, or more kinds of failures, is general.
MOST_ALERTS, MOST_KINDS = 6, 4
# Alerts about the offered versions, suites and parameters, which keys of the dictionary change.
NEGOTIATED = {40, 47, 70, 71}
RELEASES = ("The macOS releases of the same years show the same. The words in brackets are the "
            "[confidence](../contents.md#confidence).")
MORE = ("[All codes](index.md), [errors of a device](../law/errors.md), [how the gate refuses a load](../law/refusals.md).")


def no_key(advice):
    return re.match(r"No (?:ATS key|exception) helps|No entry", advice) is not None


class Articles:
    def __init__(self, program):
        law = read("docs/verdicts.md")
        self.texts = {name: text.strip() for name, text in re.findall(
            r"^### (\S+)\n(.*?)(?=^##|\Z)", law, re.MULTILINE | re.DOTALL)}
        self.rules = {name: explained(program, name) or sys.exit(f"site: the program does not explain {name}")
                      for name in self.texts}
        page = read("docs/law/errors.md")
        self.codes = {}
        named = {int(number) for number in re.findall(r"(?<![\w.:/])-(\d{3,4})\b", page)}
        for first, last in re.findall(r"-(\d{4}) to -(\d{4})", page):
            named |= set(range(int(first), int(last) + 1))
        self.add_codes(program, named)
        # Numbers that other codes lead to, such as those of alerts.
        self.add_codes(program, {int(number) for facts in self.codes.values() for meaning in facts["meanings"]
                                 for number in re.findall(r"3:-(\d+)", meaning["shown"])})
        self.codes = dict(sorted(self.codes.items()))
        self.alerts = {int(number): (saw, check) for number, saw, check in re.findall(
            r"^\| (\d+) \w+ \| ([^|]+) \| ([^|]+) \|$", page, re.MULTILINE)}
        self.sources = dict(re.findall(r"^\| ([^|]+) \| <(https:[^>]+)>", read("docs/sources.md"), re.MULTILINE))
        self.reports = list(reports())
        # explain -9802 counts the same reports.
        counted = {one["what"]: one["reports"] for one in self.codes[9802]["causes"]}
        found = sorted(map(len, self.by_cause(9802).values()), reverse=True)
        if list(counted.values()) != found:
            sys.exit(f"site: explain -9802 counts {counted}, Tests/Agreement has {found}")

    def add_codes(self, program, numbers):
        for number in numbers - self.codes.keys():
            facts = explained(program, f"\u2212{number}")
            if facts:
                self.codes[number] = facts

    def by_cause(self, number):
        """The cases of a code by cause, the most frequent first."""
        groups = {}
        for code, stream, why, case in self.reports:
            if -number in (code, stream):
                groups.setdefault(why, []).append(case)
        return dict(sorted(groups.items(), key=lambda group: -len(group[1])))

    # Links

    def linked(self, text, here=None):
        """A text of the program, with links to codes, topics and public sources. The code `here` has no link."""
        def pair(match):
            stream = int(match[3]) if match[2].endswith("-") else 0
            target = stream if stream in self.codes else int(match[1])
            label = f"-{match[1]} \\[{match[2]}{match[3]}\\]"
            return label if target == here or target not in self.codes else f"[{label}](../codes/{target}.md)"

        text = re.sub(r"docs/([\w./-]+\.md)(#[\w-]+)?", lambda m: f"[{m[1][:-3]}](../{m[1]}{m[2] or ''})", text)
        text = re.sub(r"(?<![\w.:\[-])-(\d{3,4}) \[(\d+:-?)(\d+)\]", pair, text)
        text = re.sub(r"^-(\d{3,4})(?= on)", r"[\g<0>](../codes/\1.md)", text)
        for name in sorted(self.sources, key=len, reverse=True):
            if re.search(re.escape(name) + r"(?![^\[]*\]\()", text):
                return text.replace(name, f"[{name}]({self.sources[name]})", 1)
        return text

    def text(self, rule):
        """The description of a rule in docs/verdicts.md, with its links as they are in a folder."""
        anchors = {"#" + name.replace(".", ""): f"../rules/{name}.md" for name in self.rules}
        return re.sub(r"\]\((?!https?:)([^)]+)\)", lambda m: f"]({anchors.get(m[1], '../' + m[1])})", self.texts[rule])

    def checks(self, rule):
        """The advice of a description, as single lines."""
        return [" ".join(part.split()) for part in self.text(rule).split("\n\n") if part.startswith(("Check", "Install"))]

    # Parts of an article

    @staticmethod
    def command(rule):
        key = max((key for key in WORDS["commands"] if rule.startswith(key)), key=len)
        line, words = WORDS["commands"][key]
        return block("sh", [line]) + f"\n\n{words} It runs on Linux and macOS: [install atsgate](../install.md)."

    def changes(self, rules):
        """The lines for each server, folded; rules with the same lines share them."""
        topics = {}
        for rule in rules:
            changes = self.rules[rule].get("changes") or []
            if changes:
                topics.setdefault(json.dumps(changes), (changes, []))[1].append(rule)
        for changes, of in topics.values():
            if len(topics) > 1:
                others = f" and {len(of) - 3} other rules" if len(of) > 3 else ""
                yield "For " + ", ".join(f"[{rule}](../rules/{rule}.md)" for rule in of[:3]) + others + ":"
            for change in changes:
                lines = change["lines"]
                steps = [line for line in lines if STEP.match(line)]
                config = [line for line in lines if line not in steps]
                parts = [block("text", config)] if config else []
                parts += [sentence(", ".join(steps))] if steps else []
                condition = f"({change['condition']}) " if change["condition"] else ""
                parts.append(f"{condition}Source: {self.linked(change['source'])}.")
                yield f'??? note "{change["server"]}"\n\n' + indent("\n\n".join(parts), "    ")

    def fix(self, rule):
        """The sentences for the server, and those for the dictionary."""
        facts = self.rules[rule]
        server = [marked(advice) for advice in facts["server"] if not no_key(advice)]
        keys = [marked(advice) for advice in facts["server"] if no_key(advice)]
        if facts["exception"]:
            words = "An exception for the host allows the load, and weakens only this requirement:"
            keys.append(f"{words}\n\n{entry(facts['exception'])}")
        if rule.startswith(("net.", "tls.", "http.")):
            keys.append("No rule of ATS explains this failure, so no key of the dictionary helps.")
        return server, keys

    @staticmethod
    def console(meanings):
        """The lines by release, each once."""
        found = {}
        for meaning in meanings:
            for excerpt in meaning.get("console") or []:
                head = f"{meaning['shown']}, {excerpt['releases']}:".replace("[", "\\[")
                found.setdefault(tuple(excerpt["lines"]), head)
        if found:
            yield "## In the console"
            yield from (f"{head}\n\n{block('text', lines)}" for lines, head in found.items())
            yield "All lines and their sources: [console lines](../console-lines.md)."

    def known_cause(self, number, why, cases, total):
        """A cause with reports: a title, the text, the fixes and the reports."""
        if isinstance(why, int):
            own = WORDS["cleartext"][why]
            title = own["title"]
            parts = [own["text"], f"**On the server:** {own['server']}", f"**In the dictionary:** {own['dictionary']}"]
            if "entry" in own:
                parts.append(entry(own["entry"]))
        else:
            own = next((one for one in self.codes[number]["causes"] if one.get("rule") == why), None)
            server, keys = self.fix(why)
            title = sentence(re.sub("^an? ", "", own["what"]))[:-1] if own else self.rules[why]["title"]
            parts = [f"{self.text(why)} Rule: [{why}](../rules/{why}.md)."]
            advice = [f"**Fix:** {own['fix']}"] if own else ["**On the server:**", *server] if server else []
            if self.rules[why].get("changes"):
                advice.append(f"[Lines for nginx, Apache, IIS and others](../rules/{why}.md#fix-on-the-server).")
            parts += [" ".join(advice)] if advice else []
            parts += [f"**In the dictionary:** {key}" for key in keys]
        share = f"{len(cases)} of {total} reports" if total > 1 else "the only report"
        return "\n\n".join([f"### {title} ({share})", *parts, "Public reports:", "\n".join(map(quoted, cases))])

    def other_causes(self, rules, alerts):
        """Causes without a public report, as a list; their pages have the rest."""
        for rule in rules:
            if rule == "tls.alert" and 0 < len(alerts) <= MOST_ALERTS:
                for alert in alerts:
                    saw, check = self.alerts[alert]
                    key = "`atsgate probe` tests if an exception" if alert in NEGOTIATED else "No key of the dictionary"
                    link = f"[alert {alert}](../law/errors.md#meaning-of-alerts)"
                    yield f"- The server {saw}: {link}. Check {check}. {key} helps."
            else:
                words = [f"[{self.rules[rule]['title']}](../rules/{rule}.md).", *(self.fix(rule)[0] or self.checks(rule))]
                if self.rules[rule]["exception"]:
                    words.append(f"Or add an [exception](../rules/{rule}.md#fix-in-the-dictionary).")
                yield "- " + " ".join(words)

    # Pages

    def lead(self, number, alerts):
        facts = self.codes[number]
        kinds = dict.fromkeys(meaning["what"] for meaning in facts["meanings"] if not meaning["details"])
        if facts["remark"] or f"{number}" in WORDS["leads"]:
            return WORDS["leads"].get(f"{number}") or marked(facts["remark"])
        kinds = [*kinds, *(f"TLS alert {alert}: the server {self.alerts[alert][0]}" for alert in alerts)]
        return f"-{number} stands for {', or '.join(kinds)}."

    def streams(self, number):
        """The numbers that public reports show in brackets after a code, the most frequent first."""
        found = [-stream for code, stream, _, _ in self.reports if code == -number and stream]
        return {stream: found.count(stream) for stream in sorted(set(found), key=found.count, reverse=True)}

    def causes(self, number, rules, alerts):
        groups = self.by_cause(number)
        total = sum(map(len, groups.values()))
        if groups:
            yield "## Causes"
            reports = f"{total} [public reports](../agreement.md) of devices have" if total > 1 else (
                "One [public report](../agreement.md) of a device has")
            yield f"{reports} this code with a known cause."
            for why, cases in groups.items():
                yield self.known_cause(number, why, cases, total)
        others = [rule for rule in rules if rule not in groups and not (rule == "ats.cleartext-load" and groups)]
        if others:
            yield "### Other causes" if groups else "## Causes"
            what = "these" if groups else "this code with its cause"
            yield f"No public report of the [collection](../agreement.md) shows {what}."
            yield "\n".join(self.other_causes(others, alerts))
            for key in {key for rule in others if rule.startswith("trust.") for key in self.fix(rule)[1] if no_key(key)}:
                yield f"For a bad certificate, {key[0].lower()}{key[1:]}"

    def code(self, number):
        facts = self.codes[number]
        meanings = facts["meanings"]
        alerts = [int(detail.split()[0]) for meaning in meanings for detail in meaning["details"]]
        lead = self.lead(number, alerts)
        rules = list(dict.fromkeys(rule for meaning in meanings for rule in meaning["rules"]))
        rules = rules or WORDS["related"].get(f"{number}", [])
        parts = [f"# -{number} {facts['name'] or ''}".strip(), lead]
        streams = self.streams(number)
        if len(streams) > 1:
            parts += ["## By the number in brackets", "\n".join(
                f"- [-{stream} {self.codes[stream]['name']}](../codes/{stream}.md): {count} report{'s' * (count > 1)}"
                for stream, count in streams.items())]
        if rules:
            parts += ["## Find the cause", self.command(rules[0])]
        parts += self.causes(number, rules, alerts)
        if meanings:
            parts += ["## By release", "\n".join(
                "- " + self.linked(f"{meaning['shown']}, {meaning['releases']}: {meaning['what']}", number)
                + "".join(f", {detail}" for detail in meaning["details"]) + f" ({', '.join(meaning['confidence'])})"
                for meaning in meanings), RELEASES]
        changes = list(self.changes(rules))
        if changes:
            parts += ["## Server configuration", *changes]
        parts += self.console(meanings if len(meanings) <= MOST_KINDS else [])
        parts += ["## More", MORE]
        return lead, "\n\n".join(parts) + "\n"

    def rule(self, name):
        facts = self.rules[name]
        lead = sentence(facts["title"])
        parts = [f"# {name}: {facts['title']}", self.text(name)]
        if facts["asks"]:
            parts.append(f"Required: {facts['asks']}. A violation, for example: {facts['broken']}."
                         + (f" Applies to {facts['inForce']}." if facts["inForce"] else ""))
        if facts["reports"]:
            parts += ["## On a device", "\n".join("- " + self.linked(line) for line in facts["reports"])]
        parts += ["## Check", self.command(name)]
        server, keys = self.fix(name)
        changes = list(self.changes([name]))
        if server or changes:
            parts += ["## Fix on the server", *([" ".join(server)] if server else []), *changes]
        if keys:
            parts += ["## Fix in the dictionary", *keys]
        meanings = [meaning for code in self.codes.values() for meaning in code["meanings"]
                    if name in meaning["rules"] and not meaning["details"]]
        parts += self.console(meanings)
        cases = [case for _, _, why, case in self.reports
                 if why == name or name == "ats.cleartext-load" and isinstance(why, int)]
        if cases:
            parts += ["## Public reports", "\n".join(dict.fromkeys(map(quoted, cases)))]
        if facts["source"]:
            parts += ["## Source", self.linked(facts["source"]) + "."]
        return lead, "\n\n".join(parts) + "\n"
