"""Validates the answers of the page's API against docs/api.schema.json. Called by page.sh, once there are loads.

usage: api.py PAGE_URL SCHEMA [NAME...]

With NAMEs, only these calls; a name is that of a definition.
Prints a line for each call. Exit: 0, or 1 at the first answer that does not match.
"""
import json
import sys
import urllib.parse
import urllib.request

import jsonschema

page, schema = urllib.parse.urlsplit(sys.argv[1]), json.load(open(sys.argv[2]))
token = urllib.parse.parse_qs(page.query)["token"][0]


def ask(what, body=None):
    method, path = what.split(" ")
    request = urllib.request.Request(
        f"http://{page.netloc}/api/v1/{path}", method=method, data=body and json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {token}"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        return opener.open(request, timeout=30)
    except urllib.error.HTTPError as error:
        return error


def check(name, what, body=None):
    answer = ask(what, body)
    value = json.load(answer)
    try:
        jsonschema.validate(value, {"$ref": f"#/definitions/{name}", "definitions": schema["definitions"]})
    except jsonschema.ValidationError as error:
        sys.exit(f"MISSING  {what}: {error.message} at {list(error.absolute_path)}")
    print(f"ok       {what} answers {answer.status} as described")
    return value


if names := sys.argv[3:]:
    for name in names:
        check(name, f"GET {name}")
    sys.exit()
check("health", "GET health")
check("state", "GET state")
rows = check("records", "GET records?view=row&limit=5")["records"]
check("records", "GET records?limit=5")
check("record", f"GET records/{rows[0]['id']}")
check("detail", f"GET records/{rows[0]['id']}?view=detail")
check("groups", "GET groups")
check("groups", "GET groups?search=lab.test")
check("phones", "GET phones")
check("devices", "GET devices")
recordings = check("recordings", "GET recordings")["recordings"]
check("diff", "GET recordings/diff?" + urllib.parse.urlencode({"before": recordings[0]["name"], "after": recordings[-1]["name"]}))
check("policy", "GET policy?" + urllib.parse.urlencode({"recording": recordings[0]["name"]}))
check("whatIf", "POST what-if", {"dictionary": "{\"NSAllowsArbitraryLoads\": true}", "recording": recordings[0]["name"]})
check("verify", "POST verify", {"rules": ["trust.expired"]})
check("started", "POST recordings", {"name": "by script", "new": True})
check("error", "POST recordings", {"name": "by script", "new": True})
check("started", "POST recordings", {"name": "after script"})
check("renamed", "PATCH recordings/by%20script", {"name": "renamed"})
check("deleted", "DELETE recordings/renamed")
check("error", "DELETE recordings/renamed")
check("error", "PUT policy", {})
check("error", "GET nothing")
stream = ask("GET events")
line = next(line for line in stream if line.startswith(b"data: "))
jsonschema.validate(json.loads(line[6:]), {"$ref": "#/definitions/changes", "definitions": schema["definitions"]})
print("ok       GET events begins as described")
