import ATSPolicy
import Bytes
import Dialing
import Foundation
import Lab
import NetLoop
import ProxyCore
import ProxyServer
import Records
import Synchronization
import TLSEngine
import Testing

/// Bulk data that the gate only relays.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RelayThroughGateTests {
    private static let bulk = 64 << 20

    @Test("64 MiB pass through a passthrough host in each direction, intact and counted")
    func passthrough() async throws {
        let rig = try Rig { $0.rules.passthrough = ["good.lab.test"] }
        let sent = rig.folder.appending(path: "sent")
        let got = rig.folder.appending(path: "got")
        let always = ["-sS", "--max-time", "60", "-x", rig.proxy, "--cacert"]
        let curl = always + [rig.folder.appending(path: "lab-root.pem").path, "-w", "%{size_download} %{size_upload}"]
        let down = try await Outcome.run(
            "curl", curl + ["-o", got.path, "https://good.lab.test/bytes/\(Self.bulk)"])
        #expect(down.output == "\(Self.bulk) 0", "\(down.complaint)")
        let body = try Data(contentsOf: got, options: .alwaysMapped)
        #expect(isLabPattern(body))
        try body.write(to: sent)
        let up = try await Outcome.run(
            "curl", curl + ["-T", sent.path, "https://good.lab.test/upload"])
        #expect(up.output.hasPrefix("\(Self.bulk)\n"), "\(up.complaint)")
        let records = rig.finish()
        #expect(records.map(\.verdict) == [.allowed, .allowed])
        let counts = records.map { (sent: Int($0.bytesSent), received: Int($0.bytesReceived)) }
        let expected = Self.bulk..<(Self.bulk + Self.bulk / 100)
        #expect(expected.contains(try #require(counts.first).received))
        #expect(expected.contains(try #require(counts.last).sent))
    }

    /// Byte i of the lab's bodies is i modulo 251.
    private func isLabPattern(_ body: Data) -> Bool {
        let page = (0..<(251 * 256)).map { UInt8($0 % 251) }
        return body.count == Self.bulk
            && stride(from: 0, to: body.count, by: page.count).allSatisfy { start in
                let count = min(page.count, body.count - start)
                return body[start..<(start + count)] == Data(page[..<count])
            }
    }

    @Test("64 MiB echo through a raw tunnel, byte for byte, with flat memory use")
    func echo() async throws {
        let loop = try EventLoop(index: 9)
        let listener = try Listener.open(host: "127.0.0.1", port: 0)
        listener.start(loops: [loop]) { descriptor, _, loop in
            try? ByteStream(descriptor: descriptor, handler: Mirror()).attach(to: loop)
        }
        let port = listener.port
        let rig = try Rig {
            $0.connectTo.append(ConnectTo(host: "raw.test", port: nil, toHost: "127.0.0.1", toPort: port))
        }
        let memory = Resident()
        let gate = rig.port
        let (answers, heard) = AsyncStream.makeStream(of: Caller.Outcome.self)
        let dialer = Dialer()
        loop.submit { loop in
            _ = dialer.dial(host: "127.0.0.1", port: gate, on: loop) { result in
                guard case .success(let dialed) = result else { return heard.finish() }
                let caller = Caller(says: Self.bulk) {
                    heard.yield($0)
                    heard.finish()
                }
                let stream = ByteStream(dialed, handler: caller)
                try? stream.attach(to: loop)
                stream.outbox.append("CONNECT raw.test:443 HTTP/1.1\r\nHost: raw.test:443\r\n\r\n")
                stream.flush(on: loop)
            }
        }
        let outcome = await answers.first { _ in true }
        #expect(outcome == Caller.Outcome(heard: Self.bulk, isIntact: true))
        let records = await rig.sink.wait(for: 1)
        #expect(records.map(\.verdict) == [.outside])
        #expect(records.map { Int($0.bytesSent) } == [Self.bulk])
        #expect(records.map { Int($0.bytesReceived) } == [Self.bulk])
        if let growth = memory.growth { #expect(growth < 16 << 20, "grew by \(growth) bytes") }
        rig.finish()
        listener.stop()
        loop.stop()
    }
}

/// Echoes all bytes, and reads no faster than it writes.
private final class Mirror: StreamHandler {
    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        stream.send(bytes, on: loop)
        if stream.isWriteBlocked { stream.pauseReading(on: loop) }
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) { stream.finishWriting(on: loop) }

    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) {}

    func drained(_ stream: ByteStream, on loop: isolated EventLoop) { stream.resumeReading(on: loop) }
}

/// Opens a tunnel, sends a pattern that does not resemble TLS or HTTP, and compares the echo.
private final class Caller: StreamHandler {
    struct Outcome: Sendable, Equatable {
        var heard = 0
        var isIntact = true
    }

    private let total: Int
    private let done: (Outcome) -> Void
    private var outcome = Outcome()
    private var said = 0
    private var head = ""

    init(says total: Int, done: @escaping (Outcome) -> Void) {
        self.total = total
        self.done = done
    }

    private func talk(_ stream: ByteStream, on loop: isolated EventLoop) {
        while said < total, !stream.isWriteBlocked, stream.isOpen {
            let count = min(Self.period, total - said)
            let start = said % Self.period
            Self.pattern.withUnsafeBytes {
                stream.send(UnsafeRawBufferPointer(rebasing: $0[start..<(start + count)]), on: loop)
            }
            said += count
        }
        if said == total { stream.finishWriting(on: loop) }
    }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        guard said > 0 else {
            head += String(decoding: bytes, as: UTF8.self)
            if head.hasSuffix("\r\n\r\n") { talk(stream, on: loop) }
            return
        }
        let start = outcome.heard % Self.period
        Self.pattern.withUnsafeBytes { expected in
            guard let left = expected.baseAddress, let right = bytes.baseAddress else { return }
            if memcmp(left + start, right, bytes.count) != 0 { outcome.isIntact = false }
        }
        outcome.heard += bytes.count
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) {
        stream.close(on: loop)
        done(outcome)
    }

    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) {
        outcome.isIntact = false
        done(outcome)
    }

    func drained(_ stream: ByteStream, on loop: isolated EventLoop) { talk(stream, on: loop) }

    private static let period = 65_521
    /// More than one period, so that a read of 64 KiB matches at any start. Begins with a 1.
    private static let pattern: [UInt8] = {
        let once = (0..<period).map { UInt8(truncatingIfNeeded: 1 &+ $0 &* 7 &+ $0 >> 11) }
        return once + once + once
    }()
}

/// The growth of this process's peak memory, if the system records it: proc(5), clear_refs.
private struct Resident {
    private let before: Int?

    init() {
        try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        before = Self.status("VmHWM")
    }

    /// In bytes; nil if the system does not record it.
    var growth: Int? {
        guard let before, let now = Self.status("VmHWM") else { return nil }
        return now - before
    }

    private static func status(_ field: String) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix(field + ":") }
        return line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) }.map { $0 * 1_024 }
    }
}
