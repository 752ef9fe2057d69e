import Bytes
import NetLoop
import TLSEngine

/// Serves the connections of one origin's port.
struct OriginPort: Sendable {
    private enum Greeter: Sendable {
        case cleartext
        case tls(ServerTLSContext)
        /// Sends these bytes after a ClientHello and ends.
        case rude([UInt8])
        case silent
    }

    private let site: Site
    private let greeter: Greeter

    /// - Parameter chain: the certificates for the handshake; nil for an origin without TLS.
    init(_ specification: OriginSpecification, _ chain: LabChain?) throws(LabError) {
        site = Site(name: specification.name, redirect: specification.redirect)
        greeter =
            switch specification.behaviour {
            case .cleartext: .cleartext
            case .tls(let handshake): try Self.greeter(handshake, chain)
            case .closes: .rude([])
            case .garbage: .rude(Array(Self.plainAnswer.utf8))
            case .noise: .rude(Array("SSH-2.0-lab\r\n".utf8))
            case .stalls: .silent
            case .alert(let number): .rude(Self.fatalAlert(number))
            }
    }

    /// Serves a connection.
    func serve(_ descriptor: Int32, peer: String, on loop: isolated EventLoop) {
        let stream = ByteStream(descriptor: descriptor, handler: nil, peerAddress: peer)
        switch greeter {
        case .cleartext:
            stream.handler = LabConnection(stream, machine: nil, site: site, on: loop)
        case .tls(let context):
            // Out of memory: the client sees a closed connection.
            guard let machine = try? TLSMachine.server(context, outbox: stream.outbox) else { break }
            stream.handler = LabConnection(stream, machine: machine, site: site, on: loop)
        case .rude(let answer):
            stream.handler = RudeConnection(stream, answer: answer, on: loop)
        case .silent:
            stream.handler = RudeConnection(stream, answer: nil, on: loop)
        }
        do {
            guard stream.handler != nil else { return stream.close(on: loop) }
            try stream.attach(to: loop)
        } catch {
            // The loop was stopped, or is out of memory.
            stream.close(on: loop)
        }
    }

    private static func greeter(
        _ handshake: OriginSpecification.Handshake, _ chain: LabChain?
    ) throws(LabError) -> Greeter {
        // Every origin with TLS has a chain; without one it would close its connections.
        guard let chain else { return .rude([]) }
        do {
            var settings = ServerTLSSettings(
                identity: chain.leaf, intermediates: chain.served, minimum: handshake.minimum,
                maximum: handshake.maximum, cipherList: handshake.cipherList, modernSuites: handshake.modernSuites,
                alpn: ["http/1.1"])
            settings.signatures = handshake.signatures
            settings.extendsMasterSecret = handshake.extendsMasterSecret
            settings.requiresClientCertificate = handshake.requiresClientCertificate
            settings.staple = chain.evidence.staple
            settings.timestamps = chain.evidence.timestamps
            return .tls(try ServerTLSContext(settings: settings))
        } catch {
            throw .tls(error)
        }
    }

    /// An unencrypted record with a fatal alert. Source: RFC 8446 sections 5.1 and 6.
    private static func fatalAlert(_ number: UInt8) -> [UInt8] {
        let alert: UInt8 = 21
        let fatal: UInt8 = 2
        return [alert, 3, 3, 0, 2, fatal, number]
    }

    /// The usual answer of web servers to a ClientHello on a plain port.
    private static let plainAnswer =
        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 27\r\nConnection: close\r\n\r\n"
        + "This port speaks HTTP only\n"
}
