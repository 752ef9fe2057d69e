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
