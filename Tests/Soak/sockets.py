"""WebSockets through a gate: each sends messages at intervals and expects them back. Prints one line of JSON at the
end.

usage: sockets.py PROXY-PORT TRUST HOST COUNT SECONDS PAUSE
"""

import asyncio
import json
import socket
import ssl
import sys
import time

import websockets

proxy, trust, host, count, seconds, pause = sys.argv[1:]
end = time.monotonic() + float(seconds)
told = {"opened": 0, "failed": 0, "messages": 0, "wrong": 0, "p99ms": 0.0, "trouble": None}
spans = []


async def tunnel():
    loop = asyncio.get_running_loop()
    sock = socket.socket()
    sock.setblocking(False)
    await loop.sock_connect(sock, ("127.0.0.1", int(proxy)))
    await loop.sock_sendall(sock, f"CONNECT {host}:443 HTTP/1.1\r\nHost: {host}:443\r\n\r\n".encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        part = await loop.sock_recv(sock, 1)
        if not part:
            raise ConnectionError("the tunnel ended before its answer")
        head += part
    if not head.startswith(b"HTTP/1.1 200"):
        raise ConnectionError(head.split(b"\r\n")[0].decode())
    return sock


async def one(number, context):
    await asyncio.sleep(number * min(10.0, float(seconds) / 4) / int(count))
    while time.monotonic() < end:
        try:
            sock = await tunnel()
            async with websockets.connect(
                f"wss://{host}/socket", sock=sock, ssl=context, server_hostname=host, compression=None,
                ping_interval=None, open_timeout=60,
            ) as connection:
                told["opened"] += 1
                while time.monotonic() < end:
                    message = f"{number} {time.monotonic()}"
                    begun = time.monotonic()
                    await connection.send(message)
                    told["wrong"] += await asyncio.wait_for(connection.recv(), 60) != message
                    told["messages"] += 1
                    spans.append(time.monotonic() - begun)
                    await asyncio.sleep(float(pause))
        except (OSError, asyncio.TimeoutError, websockets.WebSocketException) as error:
            told["failed"] += 1
            told["trouble"] = told["trouble"] or f"{type(error).__name__}: {error}"
            await asyncio.sleep(1)


async def main():
    context = ssl.create_default_context(cafile=trust)
    await asyncio.gather(*(one(number, context) for number in range(int(count))))
    spans.sort()
    if spans:
        told["p99ms"] = round(spans[int(0.99 * (len(spans) - 1))] * 1000, 1)
    print(json.dumps(told))


asyncio.run(main())
