"""Validates reports of a lab run against the schemas and readers of their formats.

usage: formats.py FOLDER SCHEMA PAGE
"""

import glob
import json
import os
import re
import sys
import warnings

import attr
import junitparser
import sarif_om

folder, schema_path, page_path = sys.argv[1:]
# The validator may belong to another Python than the system's.
import jsonschema  # noqa: E402

warnings.simplefilter("ignore", DeprecationWarning)


def stop(words):
    print(f"MISSING  {words}")
    sys.exit(1)


def read(format):
    with open(f"{folder}/report.{format}", encoding="utf-8") as file:
        return file.read()


# JSON, by our own schema; the page in docs names every top-level key.
report = json.loads(read("json"))
schema = json.load(open(schema_path))
jsonschema.Draft7Validator.check_schema(schema)
for error in jsonschema.Draft7Validator(schema).iter_errors(report):
    stop(f"json: {list(error.absolute_path)}: {error.message}")
page = open(page_path).read()
for key in schema["properties"]:
    if f"`{key}" not in page:
        stop(f"docs/report.md has nothing on {key}")
if sum(group["loads"] for group in report["groups"]) != report["loads"] or not report["dictionary"]:
    stop("json: groups with matching sums, and the dictionary")
print(f"ok       json matches its schema: {report['loads']} loads in {len(report['groups'])} groups")

# JUnit, by an independent parser.
suites = junitparser.JUnitXml.fromfile(f"{folder}/report.junit")
cases = [case for suite in suites for case in suite]
failed = {case.name for case in cases if any(type(result).__name__ == "Failure" for result in case.result)}
if {case.name for case in cases} != {host["host"] for host in report["hosts"]} or len(cases) != len(report["hosts"]):
    stop("junit: a case for each host")
refused = {group["host"] for group in report["groups"]
           if group["verdict"] == "blocked" or (group["verdict"] == "failed" and (group["rule"] or "").startswith("tls."))}
if not failed or failed != refused:
    stop(f"junit: a failure for each host that was refused, not {failed}")
if {case.classname for case in cases} != {"atsgate"} or {suite.name for suite in suites} != {"App Transport Security"}:
    stop("junit: stable names across runs")
print(f"ok       junit: {len(cases)} cases, {suites.failures} failures, {suites.errors} errors")

# SARIF, by the object model generated from its schema: no unknown members, none missing.
CLASSES = {
    "runs": "Run", "tool": "Tool", "driver": "ToolComponent", "rules": "ReportingDescriptor", "results": "Result",
    "artifacts": "Artifact", "location": "ArtifactLocation", "artifactLocation": "ArtifactLocation",
    "locations": "Location", "physicalLocation": "PhysicalLocation", "region": "Region",
    "logicalLocations": "LogicalLocation", "message": "Message", "shortDescription": "MultiformatMessageString",
    "help": "MultiformatMessageString",
}


def hold(value, name):
    fields = {field.metadata["schema_property_name"]: field for field in attr.fields(getattr(sarif_om, name))}
    for key, inner in value.items():
        if key not in fields:
            stop(f"sarif: {name} has no {key}")
        for part in inner if isinstance(inner, list) else [inner]:
            if key in CLASSES:
                hold(part, CLASSES[key])
    for key, field in fields.items():
        if field.default is attr.NOTHING and key not in value:
            stop(f"sarif: {name} lacks {key}")


log = json.loads(read("sarif"))
hold(log, "SarifLog")
run = log["runs"][0]
for result in run["results"]:
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    place = result["locations"][0]["physicalLocation"]
    if rule["id"] != result["ruleId"] or place["region"]["startLine"] < 1:
        stop(f"sarif: {result}")
if len({result["partialFingerprints"]["atsgateHostAndRule/v1"] for result in run["results"]}) != len(run["results"]):
    stop("sarif: a fingerprint for each result")
print(f"ok       sarif: {len(run['results'])} results by {len(run['tool']['driver']['rules'])} rules")

# HAR, by the schema that its validators use.
schemas = {}
for folder_of_schemas in ("/usr/share/nodejs/har-schema/lib", "/opt/homebrew/lib/node_modules/har-schema/lib"):
    for path in glob.glob(folder_of_schemas + "/*.json"):
        part = json.load(open(path))
        schemas[os.path.basename(path)] = part
        schemas[part.get("$id", "")] = part
if not schemas:
    stop("har: no har-schema is installed; see .ci/install.sh peers")
har = json.loads(read("har"))
resolver = jsonschema.RefResolver("", schemas["har.json"], store=schemas)
validator = jsonschema.Draft6Validator(
    schemas["har.json"], resolver=resolver, format_checker=jsonschema.FormatChecker())
for error in validator.iter_errors(har):
    stop(f"har: {list(error.absolute_path)}: {error.message}")
entries = har["log"]["entries"]
for entry in entries:
    if (entry["_ats"]["verdict"] in ("blocked", "failed")) != ("_error" in entry["response"]):
        stop(f"har: {entry['request']['url']}")
print(f"ok       har: {len(entries)} entries match HAR 1.2")

# Code Quality: the members that GitLab's documentation requires.
issues = json.loads(read("gitlab"))
for issue in issues:
    if set(issue) != {"description", "check_name", "fingerprint", "severity", "location"}:
        stop(f"gitlab: {issue}")
    if not re.fullmatch("info|minor|major|critical|blocker", issue["severity"]):
        stop(f"gitlab: {issue['severity']}")
    if not issue["location"]["path"] or issue["location"]["lines"]["begin"] < 1:
        stop(f"gitlab: {issue['location']}")
print(f"ok       gitlab: {len(issues)} issues")
if os.path.getsize(f"{folder}/report.html") > 1_000_000:
    stop("html: under a megabyte")
print(f"ok       html: {os.path.getsize(f'{folder}/report.html')} bytes")
