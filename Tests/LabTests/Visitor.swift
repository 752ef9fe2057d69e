import ATSPolicy
import Bytes
import Foundation
import Lab
import NetLoop
import TLSEngine
import TestSupport

/// The result of a visit to an origin.
struct Visit: Sendable {
    var facts: HandshakeFacts?
    var failure: HandshakeFailure?
    /// The origin's bytes until it ended the connection.
    var answer: [UInt8] = []
}

/// The shared environment of the tests: one lab, one loop for clients, one time.
struct LabEnvironment: Sendable {
    let lab: Lab
    let loop: EventLoop
    let trust: TrustStore
    /// The lab's root as a root that the user installed.
    let userTrust: TrustStore
    /// The lab's root as a system root, with the list of the lab's logs.
    let listedTrust: TrustStore
    let now: Int64

    static let shared = Result { try LabEnvironment(.basic) }
    static let full = Result { try LabEnvironment(.full) }

    private init(_ extent: LabExtent) throws {
        now = Int64(Date().timeIntervalSince1970)
        lab = try Lab(now: now, extent: extent)
        loop = try EventLoop(index: 99)
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("lab-root-\(UUID()).pem").path
        try lab.writeRoot(to: path)
        defer { try? FileManager.default.removeItem(atPath: path) }
        trust = try TrustStore(systemRootsPEM: [path], userRootsPEM: [])
        userTrust = try TrustStore(systemRootsPEM: [], userRootsPEM: [path])
        let list = path + ".logs"
        try lab.writeLogs(to: list)
        defer { try? FileManager.default.removeItem(atPath: list) }
        listedTrust = try TrustStore(
            systemRootsPEM: [path], userRootsPEM: [], logs: try TransparencyLogs(path: list))
    }

    /// Handshakes with an origin by `offer`, or uses cleartext if it is nil; then sends `request` and reads until the
    /// origin ends. Without a request the visit ends after the handshake.
    ///
    /// - Parameter timeout: the timeout of the visit; nil for the limit of a test.
    func visit(
        _ origin: LabOrigin, _ offer: TLSOffer?, saying request: [UInt8] = [], root: LabRoot = .system,
        isListed: Bool = false, timeout: Duration? = nil
    ) async throws -> Visit {
        let context = try offer.map { try OriginTLSContext(offer: $0) }
        let fact = Fact<Visit>()
        let name = origin.name
        let port = origin.realPort
        let trust = root == .user ? userTrust : isListed ? listedTrust : trust
        loop.submit { loop in
            Dialer().dial(host: "127.0.0.1", port: port, on: loop) { result in
                do {
                    let stream = ByteStream(try result.get(), handler: nil)
                    let machine = try context.map {
                        try TLSMachine.origin($0, serverName: name, alpn: ["http/1.1"], outbox: stream.outbox)
                    }
                    let visitor = Visitor(machine, trust: trust, request: request, fact: fact)
                    stream.handler = visitor
                    try stream.attach(to: loop)
                    visitor.start(stream, timeout: timeout, on: loop)
                } catch {
                    fact.fail(error)
                }
            }
        }
        return try await fact.value()
    }
}

/// A client's side of a connection.
final class Visitor: StreamHandler {
    private let machine: TLSMachine?
    private let trust: TrustStore
    private let request: [UInt8]
    private let fact: Fact<Visit>
    private let inbox = ByteQueue()
    private var visit = Visit()
    private var hasSpoken = false
    private var timer: LoopTimer?

    init(_ machine: TLSMachine?, trust: TrustStore, request: [UInt8], fact: Fact<Visit>) {
        self.machine = machine
        self.trust = trust
        self.request = request
        self.fact = fact
    }

    func start(_ stream: ByteStream, timeout: Duration?, on loop: isolated EventLoop) {
        if let timeout {
            timer = LoopTimer { [weak self, weak stream] in
                guard let stream else { return }
                self?.visit.failure = .timeout
                self?.finish(stream, on: loop)
            }
            timer?.arm(after: timeout, on: loop)
        }
        if let machine {
            machine.start()
        } else {
            stream.outbox.append(request)
        }
        stream.flush(on: loop)
    }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        guard let machine else {
            inbox.append(bytes)
            return
        }
        machine.receive(bytes, plaintext: inbox)
        if !hasSpoken, machine.state == .established {
            hasSpoken = true
            visit.facts = machine.facts(trust: trust)
            if request.isEmpty { return finish(stream, on: loop) }
            request.withUnsafeBytes { machine.send($0) }
        }
        stream.flush(on: loop)
        switch machine.state {
        case .closed, .failed: finish(stream, on: loop)
        case .handshaking, .helloHeld, .established: break
        }
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) {
        machine?.inputEnded(reset: false)
        finish(stream, on: loop)
    }

    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) {
        machine?.inputEnded(reset: true)
        finish(stream, on: loop)
    }

    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {}

    private func finish(_ stream: ByteStream, on loop: isolated EventLoop) {
        timer?.cancel()
        if let machine, case .failed(let failure) = machine.state {
            visit.failure = failure
            // The facts of an origin that rejected the client after its own part of the handshake.
            visit.facts = visit.facts ?? machine.facts(trust: trust)
        }
        visit.answer = Array(inbox.bytes)
        fact.set(visit)
        stream.close(on: loop)
    }
}
