"""Loads through the gate, each a check of HTTP/2 or WebSocket. Prints a line for each; ends at the first failure.

With names of checks as further arguments, only these.

usage: loads.py PROXY-PORT CA-CERTIFICATE GATE-PROCESS [FACT...]
"""

import asyncio
import os
import ssl
import struct
import subprocess
import sys
import time

import websockets

from h2client import H2Client, tunnel

proxy = ("127.0.0.1", int(sys.argv[1]))
trust, gate = sys.argv[2], sys.argv[3]
slow_bytes = int(os.environ.get("PEERS_SLOW_BYTES", 64 << 20))
many = int(os.environ.get("PEERS_LOADS", 5_000))
MIB = 1 << 20


def resident():
    """The gate's resident memory in bytes."""
    return int(subprocess.check_output(["ps", "-o", "rss=", "-p", gate])) * 1024


def scripted():
    return H2Client(proxy, "scripted.peers.test", trust=trust)


def same(seen, wanted):
    if seen != wanted:
        raise AssertionError(f"{seen!r} instead of {wanted!r}")


def mirrored():
    """HTTP/2 to HTTP/2 if client and origin support both"""
    with H2Client(proxy, "h2.peers.test", trust=trust, protocols=("h2", "http/1.1")) as client:
        same(client.alpn, "h2")
        same(client.get("/small").status, "200")


def not_mirrored():
    """HTTP/1.1 to HTTP/1.1 if the origin supports only that, although the client supports HTTP/2"""
    context = ssl.create_default_context(cafile=trust)
    context.set_alpn_protocols(["h2", "http/1.1"])
    with context.wrap_socket(tunnel(proxy, "h1.peers.test", 443), server_hostname="h1.peers.test") as sock:
        same(sock.selected_alpn_protocol(), "http/1.1")


def translated():
    """an HTTP/2-only client reaches an HTTP/1.1 origin: many at a time, upload of unknown length"""
    with H2Client(proxy, "h1.peers.test", trust=trust) as client:
        same(client.alpn, "h2")
        streams = [client.ask(f"/image/{number}.gif") for number in range(50)]
        upload = client.ask("/upload", method="POST", ends=False)
        client.say(upload, bytes(3 * MIB), ends=True)
        client.until(lambda: all(client.answers[one].is_over for one in [*streams, upload]), "every answer")
        same({client.answers[one].status for one in streams}, {"200"})
        same(bytes(client.answers[upload].body).split()[0], str(3 * MIB).encode())


def prior_knowledge():
    """cleartext HTTP/2 inside a tunnel, with prior knowledge, to a host with an exception in the policy"""
    with H2Client(proxy, "clear.peers.test", port=80) as client:
        same(client.get("/hello").body, b"GET /hello 0\n")
        answer = client.get("/trailers")
        same(answer.trailers, {"grpc-status": "0", "grpc-message": "fine"})


def prior_knowledge_denied():
    """the same, answered with the gate's page if the policy forbids it"""
    with H2Client(proxy, "forbidden.peers.test", port=80) as client:
        answer = client.get("/hello")
        same((answer.status, answer.head.get("x-atsgate-rule")), ("403", "ats.cleartext-load"))


def trailers():
    """trailers, and answers of trailers only, as in gRPC"""
    with scripted() as client:
        answer = client.get("/trailers", method="POST", fields=[("te", "trailers")])
        same((bytes(answer.body), answer.trailers.get("grpc-status")), (b"\0\0\0\0\5hello", "0"))
        answer = client.get("/trailers-only", method="POST", fields=[("te", "trailers")])
        same((answer.head.get("grpc-status"), answer.size, answer.trailers), ("5", 0, {}))


def origin_resets():
    """the origin's RST_STREAM reaches the client with its code, before an answer and within one"""
    with scripted() as client:
        same(client.get("/reset").code, 11)
        answer = client.get("/reset-midway")
        same((bytes(answer.body), answer.code), (b"half", 2))
        same(client.get("/hello").status, "200")


def client_resets():
    """the client's RST_STREAM reaches the origin; other streams continue"""
    with scripted() as client:
        stream = client.ask("/events/never/2")
        client.until(lambda: client.answers[stream].is_open, "the head")
        client.h2.reset_stream(stream, 8)
        client.flush()
        deadline = time.monotonic() + 10
        while b"('/events/never/2', 8)" not in bytes(client.get("/resets").body):
            if time.monotonic() > deadline:
                raise TimeoutError("the origin saw no reset")


def early_answer():
    """an answer that arrives before its upload has ended is forwarded immediately"""
    with scripted() as client:
        stream = client.ask("/too-much", method="POST", ends=False)
        client.until(lambda: client.answers[stream].is_over, "the answer")
        same((client.answers[stream].status, bytes(client.answers[stream].body)), ("413", b"too much\n"))


def going_away():
    """the origin's GOAWAY is not visible: the next load uses a new connection"""
    with scripted() as client:
        for _ in range(5):
            same(client.get("/goaway").body, b"last\n")
    with H2Client(proxy, "short.peers.test", trust=trust) as client:
        streams = [client.ask(f"/image/{number}.gif") for number in range(100)]
        client.until(lambda: all(client.answers[one].is_over for one in streams), "every answer")
        same([one for one in streams if client.answers[one].status != "200"], [])


def refused_stream():
    """a load with REFUSED_STREAM is retried once, then the error is forwarded"""
    with scripted() as client:
        before = int(client.get("/count").body)
        same(client.get("/refuse").code, 7)
        same(int(client.get("/count").body) - before, 3)


def events(client, name, teller):
    count = 20
    stream = client.ask(f"/events/{name}/{count}")
    for number in range(1, count + 1):
        wanted = f"data: event {number}\n\n".encode()
        client.until(lambda: client.answers[stream].body.endswith(wanted), f"event {number}", seconds=10)
        same(teller.get(f"/seen/{name}/{number}").status, "200")
    client.until(lambda: client.answers[stream].is_over, "the end of the events")


def server_sent_events():
    """server-sent events, each seen before the next is sent: HTTP/2, in the clear too, and translated"""
    with scripted() as client:
        events(client, "tls", client)
    with H2Client(proxy, "clear.peers.test", port=80) as client:
        events(client, "clear", client)
    with H2Client(proxy, "h1.peers.test", trust=trust) as client:
        events(client, "translated", client)


def uploads():
    """an upload of unknown length, in pieces, arrives whole over HTTP/2"""
    with scripted() as client:
        stream = client.ask("/upload", method="POST", ends=False)
        for _ in range(32):
            client.say(stream, bytes(100_000))
        client.say(stream, b"", ends=True)
        client.until(lambda: client.answers[stream].is_over, "the answer")
        same(client.answers[stream].body, b"POST /upload 3200000\n")


def slow_translated():
    with H2Client(proxy, "h1.peers.test", trust=trust) as client:
        client.get("/image/warm.gif")
        before = resident()
        slow = [client.ask("/huge") for _ in range(4)]
        client.held.update(slow)
        client.until(lambda: all(client.answers[one].size >= 65_535 for one in slow), "full windows")
        for number in range(100):
            same(client.get(f"/image/slow-{number}.gif").status, "200")
        grown = resident() - before
        if grown > 24 * MIB:
            raise AssertionError(f"the gate grew by {grown / MIB:.1f} MiB")
        return f"four translated streams that are not read block no others; the gate grew by {grown / MIB:.1f} MiB"


def slow_upload():
    """an upload that its origin does not read stalls alone: the client is held back, other loads continue"""
    with scripted() as client:
        stream = client.ask("/stuck", method="POST", ends=False)
        sent = 0
        # Fills the windows on the way; then none opens any more, while other loads start and end.
        for number in range(200):
            room = min(client.h2.local_flow_control_window(stream), client.h2.max_outbound_frame_size)
            if room > 0:
                client.h2.send_data(stream, bytes(room))
                sent += room
            same(client.get("/hello").status, "200")
        if not 60_000 < sent < 2 * MIB:
            raise AssertionError(f"{sent} bytes were accepted")


def slow_stream():
    with H2Client(proxy, "h2.peers.test", trust=trust) as client:
        for number in range(100):
            client.get(f"/image/warm-{number}.gif")
        before = resident()
        slow = client.ask("/huge")
        client.held.add(slow)
        client.until(lambda: client.answers[slow].size >= 65_535, "a full window")
        begun, quick, most, worst = time.monotonic(), 0, 0, 0.0
        # Not read at all for a while; then completely, in small pieces between quick loads.
        for _ in range(200):
            asked = time.monotonic()
            same(client.get("/small").status, "200")
            worst = max(worst, time.monotonic() - asked)
        most = max(most, resident() - before)
        held = client.answers[slow].size
        while not client.answers[slow].is_over:
            client.take(slow, 4 * MIB)
            size = client.answers[slow].size
            same(client.get("/small").status, "200")
            quick += 1
            if quick % 8 == 0:
                most = max(most, resident() - before)
            client.until(lambda: client.answers[slow].is_over or client.answers[slow].size >= min(
                size + MIB, slow_bytes), "more of the slow stream")
        same(client.answers[slow].size, slow_bytes)
        if most > 24 * MIB:
            raise AssertionError(f"the gate grew by {most / MIB:.1f} MiB")
        return (
            f"a stream of {slow_bytes // MIB} MiB, first not read at all ({held} bytes arrived), then slowly, next to "
            f"{200 + quick} quick ones: none waited longer than {worst * 1000:.0f} ms, the gate grew by "
            f"{most / MIB:.1f} MiB from {before / MIB:.1f}, {time.monotonic() - begun:.1f} s")


def many_loads():
    with H2Client(proxy, "h2.peers.test", trust=trust) as client:
        begun, asked, done = time.monotonic(), 0, 0
        while done < many:
            while asked < many and asked - done < 100:
                client.ask(f"/image/many-{asked}.gif")
                asked += 1
            client.hear()
            for stream in [one for one, answer in client.answers.items() if answer.is_over]:
                answer = client.answers.pop(stream)
                same((answer.status, answer.code), ("200", None))
                done += 1
        return f"{many} loads on one connection: {many / (time.monotonic() - begun):.0f} a second"


def no_extended_connect():
    """an extended CONNECT that the origin never allowed is rejected, and blocks no other load"""
    with H2Client(proxy, "h2.peers.test", trust=trust) as client:
        same(client.get("/small").status, "200")
        stream = client.ask("/socket", method="CONNECT", ends=False, protocol="websocket")
        same(client.get("/small").status, "200")
        client.until(lambda: client.answers[stream].is_over, "the refusal")


def frame(data):
    """A WebSocket frame from a client, with a mask of zeroes. Source: RFC 6455 section 5.2."""
    size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
    return b"\x82" + size + bytes(4) + data


def socket_over_h2():
    """WebSocket over HTTP/2 (RFC 8441)"""
    with scripted() as client:
        client.get("/hello")
        same(client.h2.remote_settings.get(8), 1)
        stream = client.ask(
            "/socket", method="CONNECT", ends=False, protocol="websocket", fields=[("sec-websocket-version", "13")])
        client.until(lambda: client.answers[stream].is_open, "the answer")
        same(client.answers[stream].status, "200")
        for number in range(50):
            client.say(stream, frame(bytes([number]) * 1_000))
            size = (number + 1) * 1_004
            client.until(lambda: client.answers[stream].size >= size, f"echo {number}")
        same(client.get("/hello").status, "200")
        client.say(stream, b"", ends=True)
        client.until(lambda: client.answers[stream].is_over, "the end")
        same((client.answers[stream].size, client.answers[stream].code), (50 * 1_004, None))


async def talk(uri, host, port):
    sock = tunnel(proxy, host, port)
    sock.setblocking(False)
    secure = {}
    if uri.startswith("wss"):
        secure = {"ssl": ssl.create_default_context(cafile=trust), "server_hostname": host}
    # Without compression, so that the number of bytes in the record is predictable.
    async with websockets.connect(uri, sock=sock, max_size=None, compression=None, **secure) as connection:
        for message in ["words", bytes(100), bytes(70_000), bytes(2 * MIB)]:
            await connection.send(message)
            same(await asyncio.wait_for(connection.recv(), 20) == message, True)


def sockets():
    """WebSocket by upgrade, ws and wss, also with nginx in between: short and long messages, text and bytes"""
    asyncio.run(talk("ws://ws.peers.test/socket", "ws.peers.test", 80))
    asyncio.run(talk("wss://wss.peers.test/socket", "wss.peers.test", 443))
    asyncio.run(talk("wss://h2.peers.test/socket", "h2.peers.test", 443))


CHECKS = [
    mirrored, not_mirrored, translated, prior_knowledge, prior_knowledge_denied, trailers, origin_resets,
    client_resets, early_answer, going_away, refused_stream, server_sent_events, uploads, socket_over_h2,
    no_extended_connect, sockets, slow_upload, slow_translated, slow_stream, many_loads,
]
wanted = sys.argv[4:]
for check in CHECKS:
    if wanted and check.__name__ not in wanted:
        continue
    try:
        words = check() or check.__doc__
    except Exception as error:
        print(f"MISSING  {check.__name__}: {check.__doc__}\n         {type(error).__name__}: {error}", flush=True)
        sys.exit(1)
    print(f"ok       {words}", flush=True)
