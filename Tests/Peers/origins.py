"""Starts the scripted origins and prints `NAME PORT` for each: h2, h2c, back (HTTP/1.1), ws, wss. Ends with its input.

usage: origins.py CERTIFICATE KEY REPORT-FILE
"""

import asyncio
import hashlib
import http.server
import os
import ssl
import sys
import threading

import websockets

from h2origin import Server, stage


class Back(http.server.BaseHTTPRequestHandler):
    """HTTP/1.1: the page's origin, which nginx forwards to."""

    protocol_version = "HTTP/1.1"
    report = ""

    def log_message(self, *words):
        pass

    def do_GET(self):
        if self.path.startswith("/events/"):
            return self.events()
        if self.path.startswith("/seen/"):
            _, _, name, count = self.path.split("/")
            stage.tell(name, int(count))
        self.text(f"GET {self.path}\n")

    def do_POST(self):
        body = self.body()
        if self.path == "/report":
            with open(Back.report + ".part", "wb") as file:
                file.write(body)
            os.rename(Back.report + ".part", Back.report)
        self.text(f"{len(body)} {hashlib.sha256(body).hexdigest()}\n")

    do_PUT = do_POST

    def body(self):
        if "chunked" not in self.headers.get("transfer-encoding", ""):
            return self.rfile.read(int(self.headers.get("content-length", 0)))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return b"".join(parts)

    def events(self):
        _, _, name, count = self.path.split("/")
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for number in range(1, int(count) + 1):
            if number > 1 and not stage.await_reader(name, number - 1):
                break
            event = f"id: {number}\ndata: event {number}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
        self.wfile.write(b"0\r\n\r\n")

    def text(self, words):
        self.send_response(200)
        self.send_header("content-type", "text/plain")
        self.send_header("content-length", str(len(words)))
        self.end_headers()
        self.wfile.write(words.encode())


async def echo(socket, *_):
    try:
        async for message in socket:
            await socket.send(message)
    except websockets.ConnectionClosed:
        pass


async def main(certificate, key, report):
    Back.report = report
    back = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Back)
    back.daemon_threads = True
    tls, clear = Server((certificate, key)), Server()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    for server in (back, tls, clear):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    async with websockets.serve(echo, "127.0.0.1", 0, max_size=None) as ws, websockets.serve(
        echo, "127.0.0.1", 0, ssl=context, max_size=None
    ) as wss:
        ports = {
            "h2": tls.server_address[1],
            "h2c": clear.server_address[1],
            "back": back.server_address[1],
            "ws": ws.sockets[0].getsockname()[1],
            "wss": wss.sockets[0].getsockname()[1],
        }
        print("\n".join(f"{name} {port}" for name, port in ports.items()), flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


asyncio.run(main(*sys.argv[1:]))
