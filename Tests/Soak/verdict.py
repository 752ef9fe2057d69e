"""Compares the counts of a soak's clients with the gate's records and sizes.

usage: verdict.py FOLDER DESCRIPTORS-LEFT DESCRIPTORS-AT-FIRST
Exit: 0, or 1 with a line for each deviation.
"""

import json
import statistics
import sys

folder, left, at_first = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
wrong = []


def read(name):
    with open(f"{folder}/{name}", encoding="utf-8") as file:
        return file.read()


def hold(words, seen, wanted):
    print(f"{words}: {seen}" + ("" if seen == wanted else f", wanted {wanted}"))
    if seen != wanted:
        wrong.append(words)


tally = json.loads(read("tally.json"))
records = {host: sum(verdicts.values()) for host, verdicts in tally["hosts"].items()}
print(f"{tally['records']} records")
hold("records that came twice", tally["twice"], 0)
for name, host in [("plain", "cleartext.lab.test"), ("intercepted", "good.lab.test"), ("streams", "h2.peers.test")]:
    told = json.loads(read(f"{name}.json"))
    print(f"{name}: {told['requests']} answers, p99 {told['p99'] / 1000:.1f} ms, {told['bad']} of another status, "
          f"{told['lost']} lost; {told.get('trouble')}")
    hold(f"{name}: records", records.get(host, 0), told["requests"] + told["bad"] + told["lost"])
sockets = json.loads(read("sockets.json"))
print(f"sockets: {sockets}")
hold("sockets: messages that were changed", sockets["wrong"], 0)
hold("sockets: records", records.get("wss.peers.test", 0), sockets["opened"] + sockets["failed"])
tunnels = json.loads(read("tunnels.json").splitlines()[0])
hold("tunnels: records", records.get("good12.lab.test", 0), tunnels["held"] + tunnels["errors"])
for name in read("flawed").split():
    hold(f"{name}: records", records.get(name, 0), int(read("rounds")))
hold("hostile: records", records.get("127.0.0.1", 0), int(read("hostile")))

sizes = [[int(word) for word in line.split()] for line in read("sizes").splitlines()]
quarter = max(1, len(sizes) // 4)
for column, words, slack in [(1, "KiB resident", 8_192), (2, "descriptors", 64)]:
    early = statistics.median(row[column] for row in sizes[quarter : 2 * quarter])
    late = statistics.median(row[column] for row in sizes[-quarter:])
    print(f"{words}: {early:.0f} in the second quarter, {late:.0f} in the last")
    if late > early * 1.05 + slack:
        wrong.append(f"{words}: grown")
print(f"descriptors: {at_first} at the start, {left} at the end")
if wrong:
    print("deviations: " + "; ".join(wrong))
sys.exit(1 if wrong else 0)
