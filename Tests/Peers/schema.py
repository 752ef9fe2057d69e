"""Validates records against their schema, and the schema against the page that explains it.

usage: schema.py SCHEMA PAGE RECORDS
"""

import json
import re
import sys

import jsonschema

schema = json.load(open(sys.argv[1]))
records = [json.loads(line) for line in open(sys.argv[3])]


def stop(words):
    print(f"MISSING  {words}")
    sys.exit(1)


def keys(part, path=""):
    """Every key path of the schema, as written on the page."""
    for name, member in part.get("properties", {}).items():
        yield path + name
        yield from keys(member, f"{path}{name}.")
        yield from keys(member.get("items", {}), f"{path}{name}[].")


jsonschema.Draft202012Validator.check_schema(schema)
listed = re.findall(r"^\| `([^`]+)` \|", open(sys.argv[2]).read(), re.MULTILINE)
if listed != list(keys(schema)):
    stop(f"the page and the schema list different keys: {sorted(set(listed) ^ set(keys(schema)))}")
print(f"ok       the page lists the {len(listed)} keys of the schema, in its order")

validator = jsonschema.Draft202012Validator(schema)
for record in records:
    for error in validator.iter_errors(record):
        stop(f"{record.get('load', {}).get('url')}: {error.json_path}: {error.message}")
verdicts = {record["verdict"] for record in records}
if not verdicts >= {"allowed", "blocked", "failed", "wouldBlock"}:
    stop(f"records of every verdict, only {sorted(verdicts)} arrived")
if len(records) < 40:
    stop(f"only {len(records)} records arrived")
print(f"ok       {len(records)} records fit, of the verdicts {', '.join(sorted(verdicts))}")
