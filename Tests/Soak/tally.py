"""Counts the records that a gate writes to this program's input, by host and verdict, and duplicate ids.

usage: tally.py FILE
Prints nothing; writes JSON to FILE when the input ends.
"""

import collections
import json
import sys

counts = collections.defaultdict(collections.Counter)
seen, twice = set(), 0
for line in sys.stdin:
    record = json.loads(line)
    twice += record["id"] in seen
    seen.add(record["id"])
    counts[record["load"]["host"]][record["verdict"]] += 1
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump({"records": len(seen), "twice": twice, "hosts": counts}, file)
