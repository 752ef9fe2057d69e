"""An HTTP/2 client that uses the gate: CONNECT, TLS with the given ALPN, then any number of streams."""

import socket
import ssl
import time

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import h2.settings


def tunnel(proxy, host, port):
    """A socket through the gate to an origin."""
    sock = socket.create_connection(proxy, timeout=30)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    head = b""
    while b"\r\n\r\n" not in head:
        byte = sock.recv(1)
        if not byte:
            raise ConnectionError(f"the gate closed after {head!r}")
        head += byte
    if b" 200 " not in head.split(b"\r\n")[0]:
        raise ConnectionError(head.decode())
    return sock


class Answer:
    """The data received on one stream."""

    def __init__(self):
        self.head, self.trailers, self.body, self.size = {}, {}, bytearray(), 0
        self.code, self.is_over, self.is_open = None, False, False

    @property
    def status(self):
        return self.head.get(":status")


class H2Client:
    """One connection to one origin."""

    def __init__(self, proxy, host, port=443, trust=None, protocols=("h2",)):
        self.sock = tunnel(proxy, host, port)
        self.scheme = "https" if trust else "http"
        self.authority = host if port in (80, 443) else f"{host}:{port}"
        if trust:
            context = ssl.create_default_context(cafile=trust)
            context.set_alpn_protocols(list(protocols))
            self.sock = context.wrap_socket(self.sock, server_hostname=host)
        self.h2 = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=True, header_encoding="utf-8"))
        self.h2.initiate_connection()
        # Large enough never to limit streams: only their own windows count.
        self.h2.increment_flow_control_window(1 << 30)
        self.answers, self.held = {}, set()
        self.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    @property
    def alpn(self):
        return self.sock.selected_alpn_protocol()

    def ask(self, path, method="GET", fields=(), ends=True, protocol=None):
        """Starts a load and returns the number of its stream."""
        stream = self.h2.get_next_available_stream_id()
        head = [(":method", method), (":scheme", self.scheme), (":authority", self.authority), (":path", path)]
        if protocol:
            head.insert(1, (":protocol", protocol))
        self.answers[stream] = Answer()
        self.h2.send_headers(stream, head + list(fields), end_stream=ends)
        self.flush()
        return stream

    def say(self, stream, data, ends=False):
        """Sends a piece of a body, as far as the windows allow."""
        data = memoryview(data)
        while data:
            room = min(self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
            if room <= 0:
                self.hear()
                continue
            self.h2.send_data(stream, bytes(data[:room]))
            data = data[room:]
            self.flush()
        if ends:
            self.h2.end_stream(stream)
            self.flush()

    def get(self, path, **options):
        """Performs a whole load."""
        stream = self.ask(path, **options)
        self.until(lambda: self.answers[stream].is_over, f"the end of {path}")
        return self.answers.pop(stream)

    def until(self, holds, words, seconds=30):
        """Receives until a condition holds."""
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{words} did not arrive")
            self.hear()

    def hear(self):
        data = self.sock.recv(262_144)
        if not data:
            raise ConnectionError("the gate closed the connection")
        for event in self.h2.receive_data(data):
            self.happened(event)
        self.flush()

    def take(self, stream, count):
        """Opens the window of a stream that was held."""
        self.open_window(stream, count)
        self.flush()

    def open_window(self, stream, count):
        try:
            self.h2.increment_flow_control_window(count, stream)
        except h2.exceptions.StreamClosedError:
            # The stream has already ended in the same bytes.
            pass

    def happened(self, event):
        answer = self.answers.get(getattr(event, "stream_id", None))
        if answer is None:
            return
        if isinstance(event, h2.events.ResponseReceived):
            answer.head, answer.is_open = dict(event.headers), True
        elif isinstance(event, h2.events.TrailersReceived):
            answer.trailers = dict(event.headers)
        elif isinstance(event, h2.events.DataReceived):
            answer.size += len(event.data)
            if answer.size < 1 << 21:
                answer.body += event.data
            if event.flow_controlled_length:
                self.h2.increment_flow_control_window(event.flow_controlled_length)
                if event.stream_id not in self.held:
                    self.open_window(event.stream_id, event.flow_controlled_length)
        elif isinstance(event, h2.events.StreamReset):
            answer.code, answer.is_over = int(event.error_code), True
        elif isinstance(event, h2.events.StreamEnded):
            answer.is_over = True

    def flush(self):
        data = self.h2.data_to_send()
        if data:
            self.sock.sendall(data)
