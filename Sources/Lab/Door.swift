import Bytes
import NetLoop
import TLSEngine

/// What stands behind the port of one origin, and greets connections.
struct Door: Sendable {
    private enum Greeter: Sendable {
        case cleartext
        case tls(ServerTLSContext)
        case closes
        case garbage
    }

    private let name: String
    private let greeter: Greeter

    init(_ blueprint: Blueprint, _ certificates: LabCertificates) throws(LabError) {
        name = blueprint.name
        greeter =
            switch blueprint.manner {
            case .cleartext: .cleartext
            case .tls(let handshake): .tls(try Self.context(for: blueprint.name, handshake, certificates))
            case .closes: .closes
            case .garbage: .garbage
            }
    }

    /// Takes a connection over.
    func open(for descriptor: Int32, peer: String, on loop: isolated EventLoop) {
        let stream = ByteStream(descriptor: descriptor, handler: nil, peerAddress: peer)
        switch greeter {
        case .cleartext:
            stream.handler = LabConnection(stream, machine: nil, origin: name, on: loop)
        case .tls(let context):
            // Without memory for a connection there is nobody to tell: the client sees it closed.
            guard let machine = try? TLSMachine.server(context, outbox: stream.outbox) else { break }
            stream.handler = LabConnection(stream, machine: machine, origin: name, on: loop)
        case .closes:
            stream.handler = RudeConnection(stream, answer: "", on: loop)
        case .garbage:
            stream.handler = RudeConnection(stream, answer: Self.plainAnswer, on: loop)
        }
        do {
            guard stream.handler != nil else { return stream.close(on: loop) }
            try stream.attach(to: loop)
        } catch {
            // The loop was stopped, or is out of memory.
            stream.close(on: loop)
        }
    }

    private static func context(
        for host: String, _ handshake: Blueprint.Handshake, _ certificates: LabCertificates
    ) throws(LabError) -> ServerTLSContext {
        let baked: (leaf: SigningIdentity, intermediates: [Certificate])
        do {
            baked = try certificates.leaf(for: host, handshake.leaf)
        } catch {
            throw .certificate(error)
        }
        do {
            return try ServerTLSContext(
                settings: ServerTLSSettings(
                    identity: baked.leaf, intermediates: baked.intermediates, minimum: handshake.minimum,
                    maximum: handshake.maximum, cipherList: handshake.cipherList, alpn: ["http/1.1"]))
        } catch {
            throw .tls(error)
        }
    }

    /// What web servers say to a ClientHello on a plain port.
    private static let plainAnswer =
        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 27\r\nConnection: close\r\n\r\n"
        + "This port speaks HTTP only\n"
}
