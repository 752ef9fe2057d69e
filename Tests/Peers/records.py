"""Checks the gate's records of the loads of loads.py and, after `all`, of the browser.

usage: records.py RECORDS all|loads
"""

import json
import os
import sys

records = [json.loads(line) for line in open(sys.argv[1])]
many = int(os.environ.get("PEERS_LOADS", 5_000))


def of(host, path="/"):
    return [r for r in records if r["load"]["host"] == f"{host}.peers.test" and f".test{path}" in r["load"]["url"]]


def fact(words, seen, wanted):
    if seen != wanted:
        print(f"MISSING  {words}\n         {seen!r:.500} instead of {wanted!r:.500}")
        sys.exit(1)
    print(f"ok       {words}")


def verdicts(host, path="/"):
    return {(r["load"]["protocol"], r["verdict"], (r["origin"] or {}).get("alpn")) for r in of(host, path)}


def socket_bytes(host):
    return [(r["verdict"], r["status"], r["bytes"]["sent"], r["bytes"]["received"]) for r in of(host, "/socket")
            if r["load"]["protocol"] == "websocket" and r["bytes"]["sent"] > 20_000]


messages = len("words") + 100 + 70_000 + (2 << 20)
# Heads of 2 or 10 bytes, 4 more for the client's mask, and the close with its code. Source: RFC 6455 section 5.2.
upgraded = ("allowed", 101, messages + 6 + 6 + 14 + 14 + 8, messages + 2 + 2 + 10 + 10 + 4)

fact(f"{many} records of {many} loads on one connection, allowed, h2 on both sides",
     (len(of("h2", "/image/many-")), verdicts("h2", "/image/many-")), (many, {("h2", "allowed", "h2")}))
fact("translated loads are h2 for the client and http/1.1 at the origin",
     verdicts("h1", "/image/"), {("h2", "allowed", "http/1.1")})
fact("WebSockets by upgrade are recorded with both byte counts",
     [socket_bytes(host) for host in ("ws", "wss", "h2")], [[upgraded]] * 3)
fact("a WebSocket over HTTP/2 too", socket_bytes("scripted"), [("allowed", 200, 50 * 1_008, 50 * 1_004)])
fact("HTTP/2 in the clear is allowed by its exception, and blocked without one",
     ({r["verdict"] for r in of("clear")}, [(r["verdict"], r["findings"][0]["rule"]) for r in of("forbidden")]),
     ({"allowed"}, [("blocked", "ats.cleartext-load")]))
fact("a load that the origin reset has failed, with its code",
     [r["findings"][0]["observed"].split()[-1] for r in of("scripted", "/re") if r["verdict"] == "failed"],
     ["11.", "2.", "7."])
if sys.argv[2] == "all":
    browser = [r for r in records if "Chrome" in (r["client"]["userAgent"] or "")]
    images = [r for r in browser if "/image/page-" in r["load"]["url"]]
    fact("the browser's 200 images are 200 loads over h2, allowed",
         (len(images), {(r["load"]["protocol"], r["verdict"], r["status"]) for r in images}),
         (200, {("h2", "allowed", 200)}))
    sockets = [r for r in browser if r["load"]["protocol"] == "websocket"]
    fact("the browser's WebSocket, with both byte counts",
         [(r["verdict"], r["status"], r["bytes"]["sent"] > 0, r["bytes"]["received"] > 0) for r in sockets],
         [("allowed", 101, True, True)])
    # A page closes an event source when it has seen enough, and a starting browser may repeat its first load without a
    # word on the abandoned connection.
    arrived = {r["load"]["url"] for r in browser if r["verdict"] == "allowed"}
    fact("no load of the browser was blocked, or failed unless the browser ended it",
         [(r["load"]["url"], r["findings"]) for r in browser if r["load"]["host"].endswith(".peers.test")
          and r["verdict"] != "allowed" and not (r["findings"][0]["rule"].startswith("client.") and (
              "/events/" in r["load"]["url"] or r["load"]["url"] in arrived))], [])
