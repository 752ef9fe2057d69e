import Bytes
import Foundation
import NetLoop
import ProxyServer
import Synchronization
import Testing

/// Hundreds of clients that request much and read none of it.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct SlowReaderTests {
    private static let permissive = "{\"NSAppTransportSecurity\":{\"NSAllowsArbitraryLoads\":true}}"
    private static let readers = 200
    private static let budget = 4_194_304

    @Test("all slow readers share a budget, and a client that reads is served in the meantime")
    func boundedInBulk() async throws {
        let rig = try Rig(policy: Self.permissive) {
            $0.loops = 1
            $0.outboxBytes = Self.budget
        }
        let loop = try EventLoop(index: 9)
        let crowd = Readers(count: Self.readers)
        crowd.come(to: rig.port, on: loop)
        await crowd.allHaveBegun()
        // Its bytes share the loop with the bytes that the other origins can still send.
        let size = 32 * 1_048_576
        let served = try await rig.curl(
            "-o", "/dev/null", "-w", "%{http_code} %{size_download}", "http://cleartext.lab.test/bytes/\(size)")
        #expect(served.output == "200 \(size)")
        let waiting = await rig.gate.waitingBytes()
        // The clients that have not read for longest were ended. Without a budget it was 61.7 MB.
        #expect(waiting > Self.budget / 2 && waiting <= Self.budget, "\(waiting) bytes")
        loop.stop()
        rig.finish()
    }
}

/// Clients that read the first bytes of a response and then stop reading.
private final class Readers: Sendable {
    private struct State {
        var missing: Int
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let count: Int
    private let state: Mutex<State>

    init(count: Int) {
        self.count = count
        state = Mutex(State(missing: count))
    }

    func come(to port: Int, on loop: EventLoop) {
        let count = count
        loop.submit { loop in
            for _ in 0..<count {
                Dialer().dial(host: "127.0.0.1", port: port, on: loop) { result in
                    guard case .success(let dialed) = result else { return self.begun() }
                    let stream = ByteStream(dialed, handler: Reader(of: self))
                    try? stream.attach(to: loop)
                    let place = "http://cleartext.lab.test/bytes/33554432"
                    stream.outbox.append("GET \(place) HTTP/1.1\r\nHost: cleartext.lab.test\r\n\r\n")
                    stream.flush(on: loop)
                }
            }
        }
    }

    func allHaveBegun() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.missing > 0 { state.waiter = continuation }
                return state.missing == 0
            }
            if isOver { continuation.resume() }
        }
    }

    fileprivate func begun() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.missing -= 1
            return state.missing == 0 ? state.waiter : nil
        }
        waiter?.resume()
    }

    private final class Reader: StreamHandler {
        private let crowd: Readers
        private var hasBegun = false

        init(of crowd: Readers) { self.crowd = crowd }

        func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
            stream.pauseReading(on: loop)
            begin()
        }

        func ended(_ stream: ByteStream, on loop: isolated EventLoop) {
            stream.close(on: loop)
            begin()
        }

        // The gate may end a reader before its first bytes.
        func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) { begin() }
        func drained(_ stream: ByteStream, on loop: isolated EventLoop) {}

        private func begin() {
            guard !hasBegun else { return }
            hasBegun = true
            crowd.begun()
        }
    }
}
