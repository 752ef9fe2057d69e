import ATSPolicy
import Bytes
import TLSEngine

/// The time that every certificate here is made for: 2026-11-20T00:00:00Z.
let now: Int64 = 1_795_132_800
let day: Int64 = 86_400

/// One machine with its queues.
final class Side {
    let machine: TLSMachine
    let outbox: ByteQueue
    let plaintext = ByteQueue()

    init(_ make: (ByteQueue) throws -> TLSMachine) rethrows {
        outbox = ByteQueue()
        machine = try make(outbox)
    }

    var text: String { String(decoding: plaintext.bytes, as: UTF8.self) }

    func send(_ text: String) {
        Array(text.utf8).withUnsafeBytes { machine.send($0) }
    }

    func receive(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { machine.receive($0, plaintext: plaintext) }
    }
}

/// Carries bytes in both directions until no byte moves.
///
/// - Parameter chunk: the maximum number of bytes per call.
func carry(_ left: Side, _ right: Side, chunk: Int = .max) {
    while !left.outbox.isEmpty || !right.outbox.isEmpty {
        move(from: left, to: right, chunk: chunk)
        move(from: right, to: left, chunk: chunk)
    }
}

func move(from sender: Side, to receiver: Side, chunk: Int) {
    let bytes = Array(sender.outbox.bytes)
    sender.outbox.consume(bytes.count)
    var start = 0
    while start < bytes.count {
        let end = start + min(chunk, bytes.count - start)
        receiver.receive(Array(bytes[start..<end]))
        start = end
    }
}

/// Test certificates: one root, one intermediate, leaves on demand.
struct World {
    let root: SigningIdentity
    let intermediate: SigningIdentity

    init(digest: CertificateRecipe.Digest = .sha256) throws {
        root = try CertificateRecipe(
            commonName: "Test Root", notBefore: now - 100 * day, notAfter: now + 1_000 * day, isCA: true
        ).with { $0.digest = digest }.issued(by: nil)
        intermediate = try CertificateRecipe(
            commonName: "Test Intermediate", notBefore: now - 100 * day, notAfter: now + 1_000 * day, isCA: true
        ).with {
            $0.digest = digest
            $0.pathLength = 0
        }.issued(by: root)
    }

    func leaf(
        key: CertificateRecipe.Key = .ec(curve: .p256), digest: CertificateRecipe.Digest = .sha256
    ) throws -> SigningIdentity {
        try CertificateRecipe(
            commonName: "origin.test", dnsNames: ["origin.test"], key: key, notBefore: now - day,
            notAfter: now + 90 * day, extendedKeyUsages: [.serverAuth]
        ).with { $0.digest = digest }.issued(by: intermediate)
    }

    func settings(for leaf: SigningIdentity) -> ServerTLSSettings {
        ServerTLSSettings(identity: leaf, intermediates: [intermediate.certificate])
    }

    func settings() throws -> ServerTLSSettings { settings(for: try leaf()) }
}

/// A started client and a lab origin; no byte has been carried yet.
func meeting(
    _ offer: TLSOffer, _ settings: ServerTLSSettings, alpn: [String] = ["h2", "http/1.1"]
) throws -> (origin: Side, server: Side) {
    let context = try OriginTLSContext(offer: offer)
    let serverContext = try ServerTLSContext(settings: settings)
    let origin = try Side {
        try TLSMachine.origin(context, serverName: "origin.test", alpn: alpn, outbox: $0)
    }
    let server = try Side { try TLSMachine.server(serverContext, outbox: $0) }
    origin.machine.start()
    return (origin, server)
}

/// The offer of the newest generation of devices under ATS. Source: Security, SecProtocolInternal.h;
/// docs/law/tls.md#suites.
let atsOffer = TLSOffer(minimum: .tls12, maximum: .tls13, suites: OSProfile.newest.atsSuites)
/// The same offer without forward secrecy, down to TLS 1.0. Source: Security, SecProtocolInternal.h; Apple, macOS 26
/// release notes; docs/law/tls.md#suites-without-forward-secrecy, docs/law/tls.md#versions.
let relaxedOffer = TLSOffer(
    minimum: .tls10, maximum: .tls13, suites: OSProfile.newest.atsSuites + OSProfile.newest.staticRSASuites)
