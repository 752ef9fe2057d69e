"""Checks that a client that tries QUIC is rejected immediately, so that it uses TCP."""
import errno
import socket
import sys
import time


def expect_refused(hosts):
    for host in hosts:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as asked:
            asked.settimeout(5)
            asked.connect((host, 443))
            begun = time.monotonic()
            asked.send(b"\xc0" * 1200)
            try:
                asked.recv(10)
                sys.exit(f"something answered UDP 443 of {host}")
            except OSError as error:
                assert error.errno == errno.ECONNREFUSED, error
            assert time.monotonic() - begun < 1
    print("UDP 443: refused immediately")
