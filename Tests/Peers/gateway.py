"""Both sides of `setup gateway`: a listener that prints the original address, and a client whose gateway it is.

usage: gateway.py listen PORT
       gateway.py answer PORT
       gateway.py visit GATEWAY
       gateway.py shut HOST:PORT...
       gateway.py names SERVER NAME=ADDRESS...
"""
import socket
import struct
import sys
import threading

import quic

ORIGINS = ["198.51.100.10", "2001:db8:7::10"]
# Linux, include/uapi/linux/netfilter_ipv4.h and netfilter_ipv6/ip6_tables.h; the level is that of the family.
SO_ORIGINAL_DST = 80


def wanted(connection):
    """The address that the client connected to, before the packet rules redirected it here."""
    if connection.family == socket.AF_INET:
        port, address = struct.unpack("!2xH4s8x", connection.getsockopt(socket.SOL_IP, SO_ORIGINAL_DST, 16))
    else:
        port, address = struct.unpack("!2xH4x16s4x", connection.getsockopt(socket.IPPROTO_IPV6, SO_ORIGINAL_DST, 28))
    return socket.inet_ntop(connection.family, address), port


def led(connection, _):
    print("wanted", *wanted(connection), flush=True)
    return "led"


def peer(_, address):
    return address[0]


def serve(family, port, words):
    server = socket.socket(family)
    if family == socket.AF_INET6:
        server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("", port))
    server.listen(64)

    def loop():
        while True:
            connection, address = server.accept()
            connection.sendall(words(connection, address).encode())
            connection.close()
    threading.Thread(target=loop).start()


def hear(host, port):
    with socket.create_connection((host, port), timeout=10) as connection:
        return connection.recv(100).decode()


def visit(gateway):
    for origin in ORIGINS:
        for port in (80, 443):
            assert hear(origin, port) == "led", (origin, port)
    assert hear(ORIGINS[0], 8081) == "203.0.113.1"
    assert hear(ORIGINS[1], 8081) == "2001:db8:5::1"
    print("other ports: forwarded, from the gateway's own address")
    quic.expect_refused(ORIGINS)
    try:
        socket.create_connection((gateway, 80), timeout=5).close()
        sys.exit("connections to the gateway itself were redirected")
    except ConnectionRefusedError:
        print("connections to the gateway itself are not redirected")


def question(name):
    """A query for the IPv4 addresses of a name. Source: RFC 1035 section 4.1."""
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return struct.pack("!6H", 7, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!2H", 1, 1)


def ask(server, name, by_stream):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM if by_stream else socket.SOCK_DGRAM) as asked:
        asked.settimeout(10)
        asked.connect((server, 53))
        message = question(name)
        asked.sendall(struct.pack("!H", len(message)) + message if by_stream else message)
        answer = asked.recv(1000)
        return answer[2:] if by_stream else answer


def names(server, wanted):
    """Answers each name with its address; without one, that there is no such name."""
    for pair in wanted:
        name, _, address = pair.partition("=")
        for by_stream in (False, True):
            answer = ask(server, name, by_stream)
            if not address:
                assert answer[3] & 0x0F == 3, (name, answer)
                continue
            assert answer[3] & 0x0F == 0 and socket.inet_aton(address) in answer, (name, answer)
    print("names: correct, by UDP and TCP")


if sys.argv[1] == "names":
    names(sys.argv[2], sys.argv[3:])
elif sys.argv[1] == "shut":
    for place in sys.argv[2:]:
        host, _, port = place.rpartition(":")
        try:
            with socket.create_connection((host, int(port)), timeout=2) as connection:
                # Once, a port without a listener was reported as connected, for an unknown reason. A real connection
                # has a peer address.
                peer = connection.getpeername()
                sys.exit(f"{place} can be reached: {connection.getsockname()} to {peer}")
        except OSError as error:
            print(f"{place}: {error}")
elif sys.argv[1] == "visit":
    visit(sys.argv[2])
else:
    for one in (socket.AF_INET, socket.AF_INET6):
        serve(one, int(sys.argv[2]), led if sys.argv[1] == "listen" else peer)
    print("listening", flush=True)
