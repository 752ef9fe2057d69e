"""Both sides of transparent.sh: servers that nginx cannot be, requests that curl cannot make, and checks of records.

usage: transparent.py serve
       transparent.py mail HOST
       transparent.py quic HOST...
       transparent.py socket URL [CA-FILE]
       transparent.py crowd HOST COUNT
       transparent.py records FILE VERDICT:URL:ENTRANCE:ADDRESS[:RULE]...
"""
import asyncio
import json
import socket
import ssl
import sys
import time

import quic

GREETING = b"220 mail.peers.test\r\n"
# The number of concurrent connections in a crowd.
AT_ONCE = 200


async def serve():
    """On port 25 a server that speaks first; on 8080 a WebSocket echo for nginx."""
    import websockets

    async def greet(reader, writer):
        writer.write(GREETING)
        line = await reader.readline()
        writer.write(b"221 bye " + line)
        await writer.drain()
        writer.close()

    async def echo(connection, *_):
        async for message in connection:
            await connection.send(message)

    mail = await asyncio.start_server(greet, None, 25)
    async with websockets.serve(echo, "127.0.0.1", 8080):
        print("listening", flush=True)
        await mail.serve_forever()


def mail(host):
    with socket.create_connection((host, 25), timeout=10) as connection:
        heard = connection.recv(100)
        assert heard == GREETING, heard
        connection.sendall(b"QUIT\r\n")
        assert connection.recv(100) == b"221 bye QUIT\r\n"
    print(f"{host}: a server that speaks first is received")


async def talk(url, authority):
    import websockets

    context = ssl.create_default_context(cafile=authority) if authority else None
    async with websockets.connect(url, ssl=context) as connection:
        for word in ("one", "x" * 70_000):
            await connection.send(word)
            assert await connection.recv() == word
    print(f"{url}: echoed")


async def crowd(host, count):
    limit = asyncio.Semaphore(AT_ONCE)
    request = f"GET /small HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()

    async def one():
        async with limit:
            reader, writer = await asyncio.open_connection(host, 80, family=socket.AF_INET)
            writer.write(request)
            answer = await asyncio.wait_for(reader.read(), 30)
            writer.close()
            assert answer.startswith(b"HTTP/1.1 200 ") and answer.endswith(b"small\n"), answer[:100]

    begun = time.monotonic()
    await asyncio.gather(*(one() for _ in range(count)))
    print(f"{count} connections: each answered, {time.monotonic() - begun:.0f} s")


def records(path, wanted):
    """Each of `wanted` is in the file; an address of `-` means none, and a rule must be among the findings. An allowed load
    over TLS has the hello of its client, which is not Apple's."""
    with open(path, encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    for text in wanted:
        verdict, url, entrance, address, rule = (text.split("|") + [""])[:5]
        for one in found:
            rules = [finding["rule"] for finding in one["findings"]]
            at = (one["origin"] or {}).get("address") or "-"
            if (one["verdict"], one["load"]["url"], one["client"]["entrance"], at) == (
                    verdict, url, entrance, address) and (not rule or rule in rules):
                hello = one["client"].get("hello") or {}
                if verdict == "allowed" and url.startswith("https:") and hello.get("reads") != "other":
                    sys.exit(f"no hello of another client in {text}: {hello}")
                break
        else:
            for one in found[:40]:
                print(one["verdict"], one["load"]["url"], one["client"]["entrance"], one["origin"] and one["origin"]["address"],
                      [finding["rule"] for finding in one["findings"]], file=sys.stderr)
            sys.exit(f"no record {text}")
    print(f"{len(found)} records, {len(wanted)} of them as expected")


match sys.argv[1]:
    case "serve": asyncio.run(serve())
    case "mail": mail(sys.argv[2])
    case "quic": quic.expect_refused(sys.argv[2:])
    case "socket": asyncio.run(talk(sys.argv[2], (sys.argv + [None])[3]))
    case "crowd": asyncio.run(crowd(sys.argv[2], int(sys.argv[3])))
    case "records": records(sys.argv[2], sys.argv[3:])
