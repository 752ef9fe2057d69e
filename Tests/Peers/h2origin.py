"""A scriptable HTTP/2 origin: trailers, resets, GOAWAY, events, extended CONNECT."""

import select
import socket
import socketserver
import ssl
import threading

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings

BLOCK = bytes(16_384)


class Stage:
    """State shared by loads: how far a reader of events has come, and which streams were reset."""

    def __init__(self):
        self.changed = threading.Condition()
        self.seen = {}
        self.resets = []
        self.bells = set()

    def tell(self, name, count):
        with self.changed:
            self.seen[name] = max(count, self.seen.get(name, 0))
            self.changed.notify_all()
            for bell in self.bells:
                bell.send(b"!")

    def await_reader(self, name, count, seconds=20):
        with self.changed:
            return self.changed.wait_for(lambda: self.seen.get(name, 0) >= count, seconds)


stage = Stage()


class H2Origin(socketserver.BaseRequestHandler):
    """One connection, on one thread."""

    def handle(self):
        sock = self.request
        if self.server.context:
            try:
                sock = self.server.context.wrap_socket(sock, server_side=True)
            except OSError:
                return
        self.sock = sock
        self.left, self.sockets, self.requests, self.events, self.served = {}, {}, {}, {}, 0
        config = h2.config.H2Configuration(client_side=False, header_encoding="utf-8")
        self.h2 = h2.connection.H2Connection(config)
        self.h2.local_settings = h2.settings.Settings(
            client=False, initial_values={h2.settings.SettingCodes.ENABLE_CONNECT_PROTOCOL: 1})
        self.h2.initiate_connection()
        self.flush()
        ear, bell = socket.socketpair()
        with stage.changed:
            stage.bells.add(bell)
        try:
            self.converse(ear)
        except (OSError, h2.exceptions.ProtocolError):
            pass
        with stage.changed:
            stage.bells.discard(bell)

    def converse(self, ear):
        while True:
            if not (self.server.context and self.sock.pending()):
                ready, _, _ = select.select([self.sock, ear], [], [])
                if ear in ready:
                    ear.recv(64)
                    self.send_events()
                if self.sock not in ready:
                    continue
            data = self.sock.recv(65_536)
            if not data:
                return
            for event in self.h2.receive_data(data):
                self.happened(event)
            self.pump()
            self.flush()

    def flush(self):
        data = self.h2.data_to_send()
        if data:
            self.sock.sendall(data)

    def happened(self, event):
        if isinstance(event, h2.events.RequestReceived):
            head = dict(event.headers)
            self.requests[event.stream_id] = [head, 0]
            self.served += 1
            if head.get(":protocol") == "websocket":
                self.sockets[event.stream_id] = bytearray()
                self.h2.send_headers(event.stream_id, [(":status", "200")])
            elif head[":path"].startswith("/events/"):
                self.h2.send_headers(
                    event.stream_id, [(":status", "200"), ("content-type", "text/event-stream"), CORS])
                _, _, name, count = head[":path"].split("/")
                self.events[event.stream_id] = [name, 1, int(count)]
                self.send_events()
            elif head[":path"] == "/too-much":
                self.h2.send_headers(event.stream_id, [(":status", "413")])
                self.h2.send_data(event.stream_id, b"too much\n", end_stream=True)
        elif isinstance(event, h2.events.DataReceived):
            self.requests[event.stream_id][1] += len(event.data)
            if self.requests[event.stream_id][0][":path"] == "/stuck":
                # Never acknowledged; the windows of other streams stay open.
                return self.h2.increment_flow_control_window(event.flow_controlled_length)
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            if event.stream_id in self.sockets:
                frames = self.sockets[event.stream_id]
                frames += event.data
                self.left.setdefault(event.stream_id, [bytearray(), False])[0].extend(echo(frames))
        elif isinstance(event, h2.events.StreamEnded):
            if event.stream_id in self.sockets:
                self.left.setdefault(event.stream_id, [bytearray(), False])[1] = True
            else:
                self.answer(event.stream_id, *self.requests[event.stream_id])
        elif isinstance(event, h2.events.StreamReset):
            self.left.pop(event.stream_id, None)
            self.events.pop(event.stream_id, None)
            with stage.changed:
                stage.resets.append((self.requests[event.stream_id][0][":path"], int(event.error_code)))
                stage.changed.notify_all()

    def answer(self, stream, head, received):
        path = head[":path"]
        if path == "/too-much" or path.startswith("/events/"):
            return
        if path == "/reset":
            self.h2.reset_stream(stream, h2.errors.ErrorCodes.ENHANCE_YOUR_CALM)
        elif path == "/reset-midway":
            self.h2.send_headers(stream, [(":status", "200")])
            self.h2.send_data(stream, b"half")
            self.h2.reset_stream(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)
        elif path == "/trailers-only":
            self.h2.send_headers(
                stream,
                [(":status", "200"), ("content-type", "application/grpc"), ("grpc-status", "5")], end_stream=True)
        elif path == "/trailers":
            self.h2.send_headers(stream, [(":status", "200"), ("content-type", "application/grpc")])
            self.h2.send_data(stream, b"\0\0\0\0\5hello")
            self.h2.send_headers(stream, [("grpc-status", "0"), ("grpc-message", "fine")], end_stream=True)
        elif path == "/goaway":
            self.text(stream, "last\n")
            self.h2.close_connection(last_stream_id=stream)
        elif path == "/refuse":
            # Not processed: the client may retry elsewhere (RFC 9113 section 8.7).
            self.h2.reset_stream(stream, h2.errors.ErrorCodes.REFUSED_STREAM)
        elif path.startswith("/bytes/"):
            self.h2.send_headers(stream, [(":status", "200"), ("content-length", path[7:])])
            self.left[stream] = [int(path[7:]), True]
        elif path.startswith("/seen/"):
            name, count = path[6:].split("/")
            stage.tell(name, int(count))
            self.text(stream, "noted\n")
        elif path == "/resets":
            with stage.changed:
                self.text(stream, repr(stage.resets))
        elif path == "/count":
            self.text(stream, str(self.served))
        else:
            self.text(stream, f"{head[':method']} {path} {received}\n")

    def text(self, stream, words):
        self.h2.send_headers(stream, [(":status", "200"), ("content-type", "text/plain"), CORS])
        self.h2.send_data(stream, words.encode(), end_stream=True)

    def send_events(self):
        """Sends each event only after its reader has confirmed the one before."""
        for stream, waiting in list(self.events.items()):
            name, number, count = waiting
            if stage.seen.get(name, 0) < number - 1:
                continue
            if number > count:
                del self.events[stream]
                self.h2.end_stream(stream)
            else:
                waiting[1] += 1
                self.h2.send_data(stream, f"id: {number}\ndata: event {number}\n\n".encode())
        self.flush()

    def pump(self):
        """Sends what the windows allow of every body, a block of each in turn."""
        moved = True
        while moved:
            moved = False
            for stream in list(self.left):
                moved = self.step(stream) or moved

    def step(self, stream):
        rest, ends = self.left[stream]
        count = len(rest) if isinstance(rest, bytearray) else rest
        allowed = min(self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size, count)
        if count == 0:
            if ends:
                self.h2.end_stream(stream)
                del self.left[stream]
            return False
        if allowed <= 0:
            return False
        if isinstance(rest, bytearray):
            self.h2.send_data(stream, bytes(rest[:allowed]))
            del rest[:allowed]
        else:
            self.h2.send_data(stream, BLOCK[:allowed])
            self.left[stream][0] -= allowed
        self.flush()
        return True


CORS = ("access-control-allow-origin", "*")


def echo(frames):
    """Takes whole frames of a WebSocket client from the received bytes, and returns them unmasked."""
    out = bytearray()
    while len(frames) >= 8:
        size, start = frames[1] & 127, 2
        if size == 126:
            size, start = int.from_bytes(frames[2:4], "big"), 4
        end = start + 4 + size
        if len(frames) < end:
            break
        mask, body = frames[start : start + 4], frames[start + 4 : end]
        out += frames[:1] + bytes([frames[1] & 127]) + frames[2:start]
        out += bytes(byte ^ mask[at % 4] for at, byte in enumerate(body))
        del frames[:end]
    return out


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, certificate=None):
        super().__init__(("127.0.0.1", 0), H2Origin)
        self.context = None
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(*certificate)
            self.context.set_alpn_protocols(["h2"])
