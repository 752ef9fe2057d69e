import Foundation
import NetLoop
import Synchronization

/// A small forward proxy that requires Basic credentials, finds hosts in its own table, and remembers its requests.
/// It can also give every client the same answer, like a proxy that refuses or an origin.
final class ScriptedParent: Sendable {
    let port: Int
    private let loop: EventLoop
    private let listener: Listener
    private let heads = Mutex<[String]>([])

    /// - Parameters:
    /// - credentials: the required `user:password`; nil requires none.
    /// - answer: the answer to every request; nil serves them, an empty one closes.
    /// - table: ports on this machine by `HOST:PORT`.
    init(credentials: String? = nil, answer: String? = nil, table: [String: Int] = [:]) throws {
        loop = try EventLoop(index: 0)
        listener = try Listener.open(host: "127.0.0.1", port: 0)
        port = listener.port
        let wanted = credentials.map { "Proxy-Authorization: Basic " + Data($0.utf8).base64EncodedString() + "\r\n" }
        let note: @Sendable (String) -> Void = { [weak self] head in self?.heads.withLock { $0.append(head) } }
        listener.start(loops: [loop]) { descriptor, _, loop in
            let talk = ParentTalk(wanted: wanted, answer: answer, table: table, note: note)
            let stream = ByteStream(descriptor: descriptor, handler: talk)
            try? stream.attach(to: loop)
        }
    }

    deinit {
        listener.stop()
        loop.stop()
    }

    /// Every received head, in order.
    var asked: [String] { heads.withLock { $0 } }

    /// The first lines of the received heads.
    var lines: [String] { asked.map { String($0.prefix { $0 != "\r\n" }) } }
}

/// One connection to a scripted parent, and its connection to the target.
private final class ParentTalk: StreamHandler {
    private let wanted: String?
    private let answer: String?
    private let table: [String: Int]
    private let note: (String) -> Void
    private let dialer = Dialer()
    private var head = ""
    private var peer: ByteStream?
    private var isDialing = false

    init(wanted: String?, answer: String?, table: [String: Int], note: @escaping (String) -> Void) {
        self.wanted = wanted
        self.answer = answer
        self.table = table
        self.note = note
    }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        if let peer { return peer.send(bytes, on: loop) }
        head += String(decoding: bytes, as: UTF8.self)
        guard head.hasSuffix("\r\n\r\n"), !isDialing else { return }
        note(head)
        if let answer { return end(stream, with: answer, on: loop) }
        if let wanted, !head.contains(wanted) {
            let challenge = "Proxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n"
            return end(stream, with: "HTTP/1.1 407 Credentials\r\n" + challenge, on: loop)
        }
        lead(stream, on: loop)
    }

    /// Connects to the target in the head's first line.
    private func lead(_ stream: ByteStream, on loop: isolated EventLoop) {
        let words = head.split(separator: " ")
        let isTunnel = words.first == "CONNECT"
        let url = URL(string: String(words[1]))
        let place = isTunnel ? String(words[1]) : "\(url?.host ?? ""):\(url?.port ?? 80)"
        guard let port = table[place] else {
            return end(stream, with: "HTTP/1.1 502 Unknown\r\nContent-Length: 0\r\n\r\n", on: loop)
        }
        isDialing = true
        dialer.dial(host: "127.0.0.1", port: port, on: loop) { result in
            guard case .success(let dialed) = result else { return stream.close(on: loop) }
            let peer = ByteStream(dialed, handler: ReturnPath(stream))
            try? peer.attach(to: loop)
            self.peer = peer
            let first = isTunnel ? "HTTP/1.1 200 OK\r\n\r\n" : self.head
            var bytes = first
            bytes.withUTF8 { (isTunnel ? stream : peer).send(UnsafeRawBufferPointer($0), on: loop) }
        }
    }

    private func end(_ stream: ByteStream, with text: String, on loop: isolated EventLoop) {
        var text = text
        text.withUTF8 { stream.send(UnsafeRawBufferPointer($0), on: loop) }
        stream.finishWriting(on: loop)
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) {
        peer?.close(on: loop)
        stream.close(on: loop)
    }

    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) { peer?.close(on: loop) }

    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {}
}

/// Sends the target's bytes back to the client.
private final class ReturnPath: StreamHandler {
    private let client: ByteStream

    init(_ client: ByteStream) {
        self.client = client
    }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        client.send(bytes, on: loop)
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) { client.finishWriting(on: loop) }

    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) { client.close(on: loop) }

    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {}
}
