import ATSPolicy
import Diagnosis
import Evidence
import Records
import Reporting
import Text

/// A device's load, compared with the gate's verdict.
struct ComparedLoad {
    let load: DeviceLoad
    let comparison: LoadComparison
    /// The dictionary that the load was judged by.
    let declaration: Declaration

    /// `LOG:LINE`; empty if the load's log is unknown.
    var place: String {
        load.device.place.map { "\($0.log):\($0.line)" } ?? ""
    }

    /// One object on one line, the keys in the order of docs/evidence.md.
    var json: JSONValue {
        let place = load.device.place
        return .object([
            ("log", .text(place?.log)), ("line", .number(place?.line)), ("task", .text(place?.task)),
            ("url", .string(load.url)), ("host", .string(load.target.host)), ("system", .string(load.profile.name)),
            ("systemTold", .flag(load.isReleaseKnown)), ("answer", .string(comparison.answer.rawValue)),
            ("fields", .array(comparison.rows.map(\.json))),
        ])
    }
}

extension LoadComparison.Row {
    fileprivate var json: JSONValue {
        .object([
            ("field", .string(field.rawValue)), ("answer", .string(answer.rawValue)), ("device", .string(device)),
            ("gate", .string(gate)), ("why", .text(why)),
        ])
    }
}

extension DeviceLoad {
    /// Creates a load; nil if its log does not show host and scheme.
    ///
    /// - Parameters:
    ///   - profile: the release of all loads, if it was given.
    ///   - now: milliseconds since 1970-01-01 UTC, for a log without dates.
    init?(_ task: EvidenceTask, on profile: OSProfile?, now: Int64) {
        guard let target = task.target else { return nil }
        let told = task.system.flatMap(OSProfile.named)
        self.init(
            url: task.url ?? target.origin + "/", target: target, profile: profile ?? told ?? .newest,
            isReleaseKnown: profile != nil || told != nil, device: task.recordedDevice,
            unixSeconds: (task.time.flatMap(LogTime.milliseconds) ?? now) / 1000)
    }

    /// Creates a load from a record; nil if the record has no device result.
    init?(_ record: LoadRecord, on profile: OSProfile?) {
        guard let device = record.device, let own = OSProfile.named(record.policy.os) else { return nil }
        self.init(
            url: record.load.url, target: record.load.target, loader: record.client.loader, profile: profile ?? own,
            isReleaseKnown: profile != nil || record.client.osNotes.isEmpty, device: device,
            handshake: record.handshake, unixSeconds: record.time / 1_000)
    }
}
