import ATSPolicy
import HTTPWire
import Onboarding
import Reporting
import Text

/// The gate's configuration, its devices and its metrics.
struct StateRoutes {
    let source: LoadSource
    let interface: GateInterface

    var all: [WebRoute] {
        [
            WebRoute(.get, "/api/v1/state", .reading, isQuick: true, state),
            WebRoute(.get, "/api/v1/phones", .reading, isQuick: true, phones),
            WebRoute(.get, "/api/v1/devices", .reading, isQuick: true, devices),
            .metrics(of: interface.monitor, at: "/api/v1/metrics", .reading),
        ]
    }

    @Sendable private func state(_ call: WebCall) throws -> WebAnswer {
        let state = interface.state()
        let systems = OSProfile.all.map { profile in
            JSONValue.object([("name", .string(profile.name)), ("title", .string(profile.title))])
        }
        return .json(
            .object([
                ("version", .string(interface.version)), ("mode", .string(state.mode)),
                ("enforces", .flag(state.mode == "enforce")),
                ("recording", .string(state.recording)), ("os", .text(state.profile?.name)),
                ("usualOS", .string(state.usualProfile.name)), ("policy", .text(state.declaration.source)),
                ("bundleID", .text(state.declaration.bundleID)),
                ("command", .string(interface.command)), ("proxies", .texts(interface.proxies)),
                ("phones", .texts(interface.phones())),
                ("fingerprint", .string(interface.fingerprint)), ("store", .flag(interface.storePath != nil)),
                ("shared", .flag(interface.fleet != nil)),
                ("mayReplacePolicy", .flag(interface.enforce != nil)), ("systems", .array(systems)),
                ("formats", .texts(ReportFormat.allCases.map(\.rawValue))),
            ]))
    }

    /// The URLs of the gate's own page for devices, each with its QR code.
    @Sendable private func phones(_ call: WebCall) throws -> WebAnswer {
        let phones = interface.phones().map { address in
            let code = QRCode(address).map { code in
                JSONValue.object([("side", .number(code.side)), ("path", .string(code.path))])
            }
            return JSONValue.object([("url", .string(address)), ("code", code ?? .null)])
        }
        return .json(.object([("phones", .array(phones))]))
    }

    @Sendable private func devices(_ call: WebCall) throws -> WebAnswer {
        .json(
            .object([("devices", .array(interface.devices().map(\.json))), ("notes", .texts(interface.clientNotes()))]))
    }
}

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

extension Device {
    var json: JSONValue {
        let lights = Light.allCases.map { light in
            JSONValue.object([
                ("light", .string(light.rawValue)), ("title", .string(light.title)),
                ("meaning", .string(light.meaning)), ("seen", .number(seen[light].map { Int($0) })),
            ])
        }
        return .object([
            ("address", .string(address)), ("label", .text(label)), ("system", .text(system)), ("os", .text(profile)),
            ("says", .text(reportedRelease)),
            ("lights", .array(lights)), ("fetched", .number(fetched.map { Int($0) })),
            ("build", .text(build?.rawValue)), ("onlyChecks", .flag(onlyChecks)),
            ("refused", .number(refused.map { Int($0) })), ("last", .number(Int(last))),
        ])
    }
}
