"""Validates audits of an app against their schema, and the schema against the audits.

usage: audits.py SCHEMA AUDIT...
"""

import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1]))
audits = [json.load(open(path)) for path in sys.argv[2:]]


def stop(words):
    print(f"MISSING  {words}")
    sys.exit(1)


def resolved(part):
    reference = part.get("$ref", "")
    return schema["definitions"][reference.split("/")[-1]] if reference else part


def keys(part, path=""):
    """Every key path of the schema."""
    part = resolved(part)
    for name, member in part.get("properties", {}).items():
        yield path + name
        yield from keys(member, f"{path}{name}.")
    if "items" in part:
        yield from keys(part["items"], path[:-1] + "[].")


def used(value, path=""):
    """Every key path of an audit whose value is not null."""
    if isinstance(value, dict):
        for name, member in value.items():
            if member is not None:
                yield path + name
            yield from used(member, f"{path}{name}.")
    elif isinstance(value, list):
        for member in value:
            yield from used(member, path[:-1] + "[].")


jsonschema.Draft7Validator.check_schema(schema)
for path, audit in zip(sys.argv[2:], audits):
    for error in jsonschema.Draft7Validator(schema).iter_errors(audit):
        stop(f"{path}: {error.json_path}: {error.message}")
print(f"ok       {len(audits)} audits fit")

listed = set(keys(schema))
found = {path for audit in audits for path in used(audit)}
if listed != found:
    stop(f"the schema and the audits have different keys: {sorted(listed ^ found)}")
print(f"ok       each of the {len(listed)} keys of the schema has a value in an audit, and there are no others")
