import ATSPolicy
import FlyingFox
import Foundation
import Records
import Reporting
import Text

/// What the gate is, and how it fares.
struct StateRoutes {
    let source: LoadSource
    let desk: GateDesk

    var all: [WebRoute] {
        [
            WebRoute(.GET, "/api/v1/state", .reading, state), WebRoute(.GET, "/api/v1/devices", .reading, devices),
            WebRoute(.GET, "/api/v1/metrics", .reading, metrics),
        ]
    }

    @Sendable private func state(_ call: WebCall) async throws -> HTTPResponse {
        let state = desk.state()
        let systems = OSProfile.all.map { profile in
            JSONValue.object([("name", .string(profile.name)), ("title", .string(profile.title))])
        }
        return .json(
            .object([
                ("version", .string(desk.version)), ("mode", .string(state.mode)),
                ("recording", .string(state.recording)), ("os", .text(state.profile?.name)),
                ("usualOS", .string(state.usualProfile.name)), ("policy", .text(state.declaration.source)),
                ("bundleID", .text(state.declaration.bundleID)), ("proxies", .texts(desk.proxies)),
                ("phones", .texts(desk.phones())),
                ("fingerprint", .string(desk.fingerprint)), ("store", .flag(desk.storePath != nil)),
                ("mayReplacePolicy", .flag(desk.enforce != nil)), ("systems", .array(systems)),
                ("formats", .texts(ReportFormat.allCases.map(\.rawValue))),
            ]))
    }

    @Sendable private func devices(_ call: WebCall) async throws -> HTTPResponse {
        .json(.object([("devices", .array(desk.devices().map(\.json)))]))
    }

    /// Source: Prometheus, Exposition formats, text format 0.0.4.
    @Sendable private func metrics(_ call: WebCall) async throws -> HTTPResponse {
        let totals = source.feed.totals
        var lines = [
            "# HELP atsgate_loads_total Loads since the start, by how they ended.",
            "# TYPE atsgate_loads_total counter",
        ]
        lines += Verdict.allCases.map { "atsgate_loads_total{verdict=\"\($0.rawValue)\"} \(totals[$0] ?? 0)" }
        var rules: [String: Int] = [:]
        for group in source.feed.groups where group.key.verdict == .blocked || group.key.verdict == .wouldBlock {
            rules[group.key.rule?.rawValue ?? "none", default: 0] += group.loads
        }
        lines += [
            "# HELP atsgate_refused_total Loads that a device refuses, by the rule that decided.",
            "# TYPE atsgate_refused_total counter",
        ]
        lines += rules.sorted { $0.key < $1.key }.map { "atsgate_refused_total{rule=\"\($0.key)\"} \($0.value)" }
        lines += [
            "# HELP atsgate_info What runs here.", "# TYPE atsgate_info gauge",
            "atsgate_info{version=\"\(desk.version)\"} 1",
        ]
        return .content("text/plain; version=0.0.4; charset=utf-8", Data((lines.joined(separator: "\n") + "\n").utf8))
    }
}
