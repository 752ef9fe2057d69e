"""Checks a captured command's network: its servers on loopback work, and only name look-ups get datagrams back."""
import errno
import os
import socket
import urllib.request

for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"), (socket.AF_INET, "0.0.0.0")):
    with socket.create_server((host, 8080), family=family) as own:
        with socket.create_connection(("127.0.0.1" if host == "0.0.0.0" else host, 8080), 5):
            own.accept()[0].close()

with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as quic:
    quic.connect(("203.0.113.7", 443))
    quic.settimeout(5)
    quic.send(b"hello")
    try:
        quic.recv(1)
        raise SystemExit("a datagram was answered")
    except OSError as error:
        assert error.errno == errno.ECONNREFUSED, error

assert open("/etc/resolv.conf", encoding="utf-8").readline() == "nameserver 127.0.0.1\n"
assert socket.getaddrinfo("good.lab.test", 443, socket.AF_INET)[0][4][0].startswith("198.18.")
try:
    socket.getaddrinfo("no-such-name.invalid", 443)
    raise SystemExit("a name that does not exist was resolved")
except socket.gaierror:
    pass
assert os.environ["no_proxy"] == "localhost,127.0.0.1,::1"

# Through the proxy, whose port must exist as well.
host, port = os.environ["ATSGATE_PROXY"].removeprefix("http://").split(":")
socket.create_connection((host, int(port)), 5).close()
