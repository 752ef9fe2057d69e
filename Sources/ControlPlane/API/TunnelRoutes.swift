import HTTPWire
import Onboarding
import Text

/// WireGuard configurations for devices. They contain private keys and the page is not encrypted, so only clients on
/// this machine may read them.
struct TunnelRoutes {
    let interface: GateInterface

    var all: [WebRoute] {
        [
            WebRoute(.get, "/api/v1/tunnels", .reading, list),
            WebRoute(.get, "/api/v1/tunnels/:peer", .reading, file),
            WebRoute(.get, "/api/v1/tunnels/:peer/code", .reading, code),
        ]
    }

    @Sendable private func list(_ call: WebCall) throws -> WebAnswer {
        let tunnels = interface.tunnels().map { tunnel in
            JSONValue.object([
                ("peer", .string(tunnel.peer)), ("isReadable", .flag(tunnel.configuration != nil)),
            ])
        }
        return .json(.object([("tunnels", .array(tunnels))]))
    }

    @Sendable private func file(_ call: WebCall) throws -> WebAnswer {
        let (peer, text) = try configuration(call)
        var answer = WebAnswer("application/octet-stream", body: .bytes(Array(text.utf8)[...]))
        // Names of peers contain no characters that need escaping.
        answer.fields.append("Content-Disposition", "attachment; filename=\"\(peer).conf\"")
        return answer
    }

    @Sendable private func code(_ call: WebCall) throws -> WebAnswer {
        guard let code = QRCode(try configuration(call).text) else {
            throw WebProblem(404, "The configuration is too long for a QR code. Use the file.")
        }
        return .json(.object([("side", .number(code.side)), ("path", .string(code.path))]))
    }

    private func configuration(_ call: WebCall) throws(WebProblem) -> (peer: String, text: String) {
        guard call.request.isFromThisMachine else {
            throw WebProblem(403, "Keys are only shown on the gate's machine, because this page is not encrypted.")
        }
        let name = call.parameters["peer"] ?? ""
        guard let tunnel = interface.tunnels().first(where: { $0.peer == name }) else {
            throw WebProblem(404, "The tunnel has no such device.")
        }
        guard let text = tunnel.configuration else {
            throw WebProblem(403, "Its key belongs to another user. Run: sudo atsgate setup wireguard --show \(name)")
        }
        return (name, text)
    }
}
