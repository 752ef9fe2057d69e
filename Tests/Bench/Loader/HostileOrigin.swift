import ATSPolicy
import Bytes
import Foundation
import NetLoop
import TLSEngine

/// Chains of one leaf with many names and a small second certificate that differs each time.
final class HostileChains: Sendable {
    /// The size of a chain.
    let bytes: Int
    private let leaf: SigningIdentity

    /// - Parameter names: the number of names, of one letter each.
    init(names: Int) throws(CertificateError) {
        leaf = try CertificateRecipe(
            commonName: "hostile.test", dnsNames: Array(repeating: "a", count: names), notBefore: Self.now - 86_400,
            notAfter: Self.now + 90 * 86_400, extendedKeyUsages: [.serverAuth]
        ).issued(by: nil)
        bytes = leaf.certificate.der.count
    }

    func next() throws -> ServerTLSContext {
        let other = try CertificateRecipe(
            commonName: "another", key: .ed25519, notBefore: Self.now - 86_400, notAfter: Self.now + 86_400
        ).issued(by: nil)
        return try ServerTLSContext(
            settings: ServerTLSSettings(identity: leaf, intermediates: [other.certificate], alpn: ["http/1.1"]))
    }

    private static let now = Int64(Date().timeIntervalSince1970)
}

/// The origin's side: performs the handshake and sends nothing else.
final class HostileConnection: StreamHandler {
    private let machine: TLSMachine
    private let inbox = ByteQueue()

    private init(_ machine: TLSMachine) {
        self.machine = machine
    }

    static func open(_ stream: ByteStream, _ chains: HostileChains, on loop: isolated EventLoop) {
        guard let machine = try? TLSMachine.server(chains.next(), outbox: stream.outbox) else {
            return stream.close(on: loop)
        }
        stream.handler = HostileConnection(machine)
        do throws(NetError) {
            try stream.attach(to: loop)
        } catch {
            stream.close(on: loop)
        }
    }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        machine.receive(bytes, plaintext: inbox)
        inbox.removeAll()
        stream.flush(on: loop)
        switch machine.state {
        case .handshaking, .helloHeld, .established: break
        case .closed, .failed: stream.close(on: loop)
        }
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) { stream.close(on: loop) }
    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) { stream.close(on: loop) }
    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {}
}

/// Clients that load it through a gate, a fixed number at a time.
final class HostileCrowd {
    private let gate: Endpoint
    private let target: String
    private var left: Int
    private var open = 0
    private let done: () -> Void
    private let dialer = Dialer()
    private var tickets: [Int: DialTicket] = [:]
    private let tls = try? OriginTLSContext(offer: .modern)

    init(of gate: Endpoint, to target: String, loads: Int, done: @escaping () -> Void) {
        self.gate = gate
        self.target = target
        left = loads
        self.done = done
    }

    func start(_ connections: Int, on loop: isolated EventLoop) {
        for _ in 0..<min(connections, left) { next(on: loop) }
    }

    private func next(on loop: isolated EventLoop) {
        guard left > 0 else {
            if open == 0 { done() }
            return
        }
        left -= 1
        open += 1
        let number = left
        tickets[number] = dialer.dial(host: gate.host, port: gate.port, on: loop) { [weak self] result in
            guard let self else { return }
            tickets[number] = nil
            guard case .success(let dialed) = result, let tls else { return over(on: loop) }
            let client = HostileClient(target, tls) { [weak self] in self?.over(on: loop) }
            client.begin(ByteStream(dialed, handler: client), on: loop)
        }
    }

    private func over(on loop: isolated EventLoop) {
        open -= 1
        next(on: loop)
    }
}

/// One client: a tunnel and a handshake.
final class HostileClient: StreamHandler {
    private let target: String
    private let tls: OriginTLSContext
    private var done: (() -> Void)?
    private var machine: TLSMachine?
    private let inbox = ByteQueue()

    init(_ target: String, _ tls: OriginTLSContext, done: @escaping () -> Void) {
        self.target = target
        self.tls = tls
        self.done = done
    }

    func begin(_ stream: ByteStream, on loop: isolated EventLoop) {
        do throws(NetError) {
            try stream.attach(to: loop)
        } catch {
            return end(stream, on: loop)
        }
        stream.outbox.append(Array("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n".utf8))
        stream.flush(on: loop)
    }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        if let machine {
            machine.receive(bytes, plaintext: inbox)
            inbox.removeAll()
        } else {
            // The gate sends nothing after its response until it has received a hello.
            guard String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 200 "),
                let machine = try? TLSMachine.origin(tls, serverName: "", alpn: [], outbox: stream.outbox)
            else { return end(stream, on: loop) }
            self.machine = machine
            machine.start()
        }
        stream.flush(on: loop)
        switch machine?.state {
        case .handshaking, .helloHeld: break
        case .established, .closed, .failed, nil: end(stream, on: loop)
        }
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) { end(stream, on: loop) }
    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) { end(stream, on: loop) }
    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {}

    private func end(_ stream: ByteStream, on loop: isolated EventLoop) {
        stream.close(on: loop)
        done?()
        done = nil
    }
}
