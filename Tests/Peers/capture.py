"""Prints scheme, host, verdict and entrance of each record in a file of JSON lines."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    for record in map(json.loads, file):
        load = record["load"]
        print(load["scheme"], load["host"], record["verdict"], record["client"]["entrance"] or "-")
