import ATSPolicy
import Bytes
import Foundation
import NetLoop
import ProxyServer
import Records
import Synchronization
import Testing

/// The treatment of idle clients when descriptors are running out.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ShortageTests {
    private static let permissive = "{\"NSAppTransportSecurity\":{\"NSAllowsArbitraryLoads\":true}}"

    /// Returns a limit that leaves `count` free descriptors: a new descriptor gets the lowest free number.
    private static func limit(leaving count: Int) throws -> Int {
        let lowest = dup(0)
        try #require(lowest >= 0)
        close(lowest)
        return Int(lowest) + count
    }

    @Test("the client that has waited longest within a head gets 408, and a whole head is served")
    func slowHeads() async throws {
        let limit = try Self.limit(leaving: 120)
        let rig = try Rig(policy: Self.permissive) { $0.descriptorLimit = limit }
        let loop = try EventLoop(index: 9)
        let words = "GET http://cleartext.lab.test/ HTTP/1.1\r\nHost: cleartext.lab.test\r\nX-Slow: 1"
        let crowd = Crowd(saying: words, size: 100)
        crowd.come(to: rig.port, on: loop)
        let first = try await crowd.firstGone()
        #expect(first.hasPrefix("HTTP/1.1 408 "), "\(first)")
        let served = try await rig.curl("-o", "/dev/null", "-w", "%{http_code}", "http://cleartext.lab.test/")
        #expect(served.output == "200")
        loop.stop()
        let records = rig.finish()
        #expect(records.contains { $0.verdict == .allowed })
        let shed = records.filter { $0.status == 408 }
        #expect(!shed.isEmpty)
        #expect(shed.allSatisfy { $0.diagnosis?.findings.first?.rule == .gateDescriptors })
    }

    @Test("stalled TLS handshakes in tunnels are shed, each with a record")
    func slowHandshakes() async throws {
        let limit = try Self.limit(leaving: 200)
        let rig = try Rig { $0.descriptorLimit = limit }
        let loop = try EventLoop(index: 9)
        // The first bytes of a hello's record.
        let words = "CONNECT good.lab.test:443 HTTP/1.1\r\nHost: good.lab.test:443\r\n\r\n\u{16}\u{3}\u{1}\u{0}"
        let crowd = Crowd(saying: words, size: 100, isAnswered: true)
        crowd.come(to: rig.port, on: loop)
        let first = try await crowd.firstGone()
        #expect(first.hasPrefix("HTTP/1.1 200 "), "\(first)")
        loop.stop()
        let records = rig.finish()
        #expect(records.contains { $0.diagnosis?.findings.first?.rule == .gateDescriptors })
        #expect(!records.contains { $0.verdict == .allowed })
    }

    @Test("connections that are idle between two loads are shed as well, without a message")
    func idleConnections() async throws {
        let limit = try Self.limit(leaving: 120)
        let rig = try Rig(policy: Self.permissive) { $0.descriptorLimit = limit }
        let loop = try EventLoop(index: 9)
        let request = "GET http://cleartext.lab.test/ HTTP/1.1\r\nHost: cleartext.lab.test\r\n\r\n"
        let crowd = Crowd(saying: request, size: 100, isAnswered: true)
        crowd.come(to: rig.port, on: loop)
        let first = try await crowd.firstGone()
        #expect(first.hasPrefix("HTTP/1.1 200 ") && !first.contains(" 408 "), "\(first)")
        loop.stop()
        rig.finish()
    }

    @Test("no client is shed while descriptors suffice")
    func enough() async throws {
        let rig = try Rig(policy: Self.permissive) { $0.descriptorLimit = 1_048_576 }
        let loop = try EventLoop(index: 9)
        let crowd = Crowd(saying: "GET http://cleartext.lab.test/ HTTP/1.1\r\nHost: cle", size: 50)
        crowd.come(to: rig.port, on: loop)
        for _ in 0..<3 {
            let served = try await rig.curl("-o", "/dev/null", "-w", "%{http_code}", "http://cleartext.lab.test/")
            #expect(served.output == "200")
        }
        #expect(crowd.gone == 0)
        loop.stop()
        rig.finish()
    }
}

/// Clients that send one message and then wait.
private final class Crowd: Sendable {
    private struct State {
        var gone = 0
        var first: String?
        var waiter: CheckedContinuation<String, Never>?
    }

    private let words: String
    private let size: Int
    private let isAnswered: Bool
    private let state = Mutex(State())

    /// - Parameter isAnswered: true if each client waits for the previous one's answer, false if only for its
    ///   connection.
    init(saying words: String, size: Int, isAnswered: Bool = false) {
        self.words = words
        self.size = size
        self.isAnswered = isAnswered
    }

    var gone: Int { state.withLock { $0.gone } }

    /// Connects the clients one after the other.
    func come(to port: Int, on loop: EventLoop) {
        let size = size
        loop.submit { loop in self.send(size, to: port, on: loop) }
    }

    /// Returns the bytes that the first closed client had received.
    func firstGone() async throws -> String {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state in
                if state.first == nil { state.waiter = continuation }
                return state.first
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    fileprivate func left(having heard: String) {
        let waiter = state.withLock { state -> CheckedContinuation<String, Never>? in
            state.gone += 1
            guard state.first == nil else { return nil }
            state.first = heard
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: heard)
    }

    fileprivate func send(_ count: Int, to port: Int, on loop: isolated EventLoop) {
        guard count > 0 else { return }
        Dialer().dial(host: "127.0.0.1", port: port, on: loop) { result in
            guard case .success(let dialed) = result else { return self.left(having: "no connection") }
            let stream = ByteStream(
                dialed, handler: Client(of: self, before: self.isAnswered ? (count - 1, port) : nil))
            try? stream.attach(to: loop)
            stream.outbox.append(self.words)
            stream.flush(on: loop)
            if !self.isAnswered { self.send(count - 1, to: port, on: loop) }
        }
    }

    private final class Client: StreamHandler {
        private let crowd: Crowd
        private var heard = ""
        /// The clients that connect after this one was answered.
        private var next: (count: Int, port: Int)?

        init(of crowd: Crowd, before next: (count: Int, port: Int)?) {
            self.crowd = crowd
            self.next = next
        }

        func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
            heard += String(decoding: bytes, as: UTF8.self)
            guard let next else { return }
            self.next = nil
            crowd.send(next.count, to: next.port, on: loop)
        }

        func ended(_ stream: ByteStream, on loop: isolated EventLoop) {
            crowd.left(having: heard)
            stream.close(on: loop)
        }

        func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) { crowd.left(having: heard) }

        func drained(_ stream: ByteStream, on loop: isolated EventLoop) {}
    }
}
