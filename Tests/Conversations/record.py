#!/usr/bin/env python3
"""Records conversations of OpenSSL's client and server for ConversationWatchTests: bytes as they passed, who ended first,
and what the client is known to have done. Writes conversations.jsonl beside itself; run it by hand when a case is added.

usage: record.py
"""
import json, os, select, socket, subprocess, sys, tempfile, threading

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = tempfile.mkdtemp()


def run(*words):
    subprocess.run(words, check=True, capture_output=True, cwd=FOLDER)


def certificates():
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "k.pem",
        "-out", "c.pem", "-subj", "/CN=a.test", "-addext", "subjectAltName=DNS:a.test", "-days", "3650")
    with open(os.path.join(FOLDER, "word"), "w") as file:
        file.write("ok")


class Tap:
    """Between one client and one server: passes bytes on, and notes them."""

    def __init__(self, port):
        self.port, self.steps = port, []
        self.door = socket.create_server(("127.0.0.1", 0))
        self.thread = threading.Thread(target=self.carry)
        self.thread.start()

    def carry(self):
        client, _ = self.door.accept()
        server = socket.create_connection(("127.0.0.1", self.port))
        other = {client: (server, "client"), server: (client, "origin")}
        while True:
            for side in select.select([client, server], [], [], 10)[0]:
                peer, name = other[side]
                try:
                    data = side.recv(65536)
                except OSError:
                    data = b""
                if not data:
                    self.steps.append([name, None])
                    client.close(), server.close()
                    return
                self.steps.append([name, data.hex()])
                try:
                    peer.sendall(data)
                except OSError:
                    pass


def serve(options):
    words = ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", "c.pem", "-key", "k.pem", "-WWW"] + options
    server = subprocess.Popen(words, cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for line in server.stdout:
        if line.startswith(b"ACCEPT"):
            return server, int(line.split(b":")[-1])
    raise SystemExit("no server")


ASK = b"GET /word HTTP/1.0\r\n\r\n"


def client(port, options, words):
    # -ign_eof keeps it until the server ends; without words it leaves when its standard input ends.
    command = ["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-servername", "a.test"] + options
    subprocess.run(command + (["-ign_eof"] if words else []), input=words, cwd=FOLDER, capture_output=True, timeout=20)


def record(server_options, client_options, words, before=None):
    server, port = serve(server_options)
    try:
        if before:
            client(port, before, ASK)
        tap = Tap(port)
        client(tap.door.getsockname()[1], client_options, words)
        tap.thread.join()
        return tap.steps
    finally:
        server.kill()


TRUST, DOUBT = ["-CAfile", "c.pem", "-verify_return_error"], ["-verify_return_error", "-no-CAfile", "-no-CApath"]
OLD, NEW = ["-tls1_2"], ["-tls1_3"]
SAVE, USE = ["-sess_out", "s.pem"], ["-sess_in", "s.pem"]
WEAK = ["-cipher", "DEFAULT:@SECLEVEL=0"]
# Name, what the client does and by what it is seen, the server's options, the client's, what it says, a load before.
CASES = [
    ["accepted, 1.2", "accepted application-data certain", OLD, TRUST, ASK],
    ["accepted, 1.1", "accepted application-data certain", ["-tls1_1"] + WEAK, TRUST + ["-tls1_1"] + WEAK, ASK],
    ["accepted, 1.3", "accepted application-data certain", NEW, TRUST, ASK],
    ["accepted, 1.3 with SHA-384", "accepted application-data certain",
     NEW + ["-ciphersuites", "TLS_AES_256_GCM_SHA384"], TRUST, ASK],
    ["accepted, 1.3 with a short tag", "accepted application-data certain",
     NEW + ["-ciphersuites", "TLS_AES_128_CCM_8_SHA256"] + WEAK,
     TRUST + ["-ciphersuites", "TLS_AES_128_CCM_8_SHA256"] + WEAK, ASK],
    ["accepted, 1.3 with a second hello", "accepted application-data certain", NEW + ["-groups", "P-384"], TRUST, ASK],
    ["accepted, 1.3 asked for a certificate", "accepted application-data certain", NEW + ["-verify", "1"], TRUST, ASK],
    ["accepted, 1.3 with a certificate", "accepted application-data certain", NEW + ["-verify", "1"],
     TRUST + ["-cert", "c.pem", "-key", "k.pem"], ASK],
    ["accepted, 1.2 resumed", "accepted resumed-session inferred", OLD, TRUST + USE, ASK, TRUST + SAVE],
    ["refused, 1.2", "refused alert-48 certain", OLD, DOUBT, ASK],
    ["refused, 1.1", "refused alert-48 certain", ["-tls1_1"] + WEAK, DOUBT + ["-tls1_1"] + WEAK, ASK],
    ["refused, 1.3", "refused alert-48 certain", NEW, DOUBT, ASK],
    ["refused, 1.3 with SHA-384", "refused alert-48 certain",
     NEW + ["-ciphersuites", "TLS_AES_256_GCM_SHA384"], DOUBT, ASK],
    ["refused, 1.3 with a short tag", "refused alert-48 certain",
     NEW + ["-ciphersuites", "TLS_AES_128_CCM_8_SHA256"] + WEAK,
     DOUBT + ["-ciphersuites", "TLS_AES_128_CCM_8_SHA256"] + WEAK, ASK],
    ["refused, 1.3 with a second hello", "refused alert-48 certain", NEW + ["-groups", "P-384"], DOUBT, ASK],
    ["refused, 1.3 asked for a certificate", "refused alert-48 certain", NEW + ["-verify", "1"], DOUBT, ASK],
    ["left behind the handshake, 1.2", "refused closed-before-request inferred", OLD, TRUST, b""],
    ["left behind the handshake, 1.3", "refused closed-before-request inferred", NEW, TRUST, b""],
    ["turned down", "refused hello-turned-down-70 inferred", NEW, TRUST + OLD, ASK],
    ["wants more than the origin has", "refused hello-turned-down-70 inferred", OLD, TRUST + NEW, ASK],
]

certificates()
with open(os.path.join(HERE, "conversations.jsonl"), "w") as out:
    for name, known, *options in CASES:
        steps = record(*options)
        out.write(json.dumps({"name": name, "known": known, "steps": steps}) + "\n")
        print(name, [(who, data and len(data) // 2) for who, data in steps], file=sys.stderr)
