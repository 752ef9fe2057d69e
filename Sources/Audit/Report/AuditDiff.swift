import ATSPolicy
import Diagnosis
import Text

/// The differences between two builds of an app, in sentences.
public struct AuditDiff: Sendable {
    /// The older build, as the user named it.
    public let old: String
    /// The grades of both, if they differ, and programs that were added or removed.
    public let posture: [String]
    /// Changes of the dictionaries: rulings, then lines. One text for each program.
    public let dictionaries: [(executable: String, text: String)]
    public let addedHosts: [String]
    public let removedHosts: [String]
    /// Hosts of both builds whose ruling or scheme differs.
    public let changedHosts: [String]

    public var isEmpty: Bool {
        posture.isEmpty && dictionaries.isEmpty && addedHosts.isEmpty && removedHosts.isEmpty && changedHosts.isEmpty
    }

    public init(from old: AuditReport, to new: AuditReport) {
        self.old = old.path
        let (before, after) = (Self.programs(of: old), Self.programs(of: new))
        var posture: [String] = []
        if old.grade != new.grade {
            posture.append("The grade changes from \(old.grade.rawValue) to \(new.grade.rawValue): \(new.headline)")
        }
        posture += after.keys.sorted().filter { before[$0] == nil }.map { "\($0) is new." }
        posture += before.keys.sorted().filter { after[$0] == nil }.map { "\($0) was removed." }
        for name in after.keys.sorted() { posture += Self.systems(name, before[name], after[name]) }
        self.posture = posture
        dictionaries = after.keys.sorted().compactMap { name in
            guard let executable = after[name], let other = before[name] else { return nil }
            let text = DictionaryDiff(from: other.declaration, to: executable.declaration, on: new.profile).text
            return text.isEmpty ? nil : (name, text.replacing("\t", with: "    "))
        }
        let (hosts, others) = (Self.hosts(of: new), Self.hosts(of: old))
        let names = Set(hosts.values.map(\.row.host)), otherNames = Set(others.values.map(\.row.host))
        addedHosts = hosts.sorted { $0.key < $1.key }.filter {
            others[$0.key] == nil && !otherNames.contains($0.value.row.host)
        }
        .map { Self.words($0.value) }
        removedHosts = others.sorted { $0.key < $1.key }.filter {
            hosts[$0.key] == nil && !names.contains($0.value.row.host)
        }
        .map { Self.words($0.value) }
        changedHosts = hosts.sorted { $0.key < $1.key }.compactMap { key, host in
            guard let other = others[key] else {
                return otherNames.contains(host.row.host)
                    ? "\(key) is new; the older build has the host with another scheme or port" : nil
            }
            guard other.ruling != host.ruling else { return nil }
            return "\(key): \(other.ruling.words) before, \(host.ruling.words) now"
        }
    }

    /// By path below the outermost bundle, because its name may contain the version.
    private static func programs(of report: AuditReport) -> [String: AuditedExecutable] {
        let top = report.executables.first?.path ?? ""
        return Dictionary(
            report.executables.map { executable in
                (executable.path == top ? "the app" : String(executable.path.dropFirst(top.count + 1)), executable)
            }, uniquingKeysWith: { first, _ in first })
    }

    private static func hosts(of report: AuditReport) -> [String: AuditedHost] {
        Dictionary(
            report.hosts.map { ($0.row.scheme == nil ? $0.row.host : $0.row.target.origin, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    private static func systems(_ name: String, _ old: AuditedExecutable?, _ new: AuditedExecutable?) -> [String] {
        guard let old, let new else { return [] }
        var lines: [String] = []
        if let before = old.system.minimumOS, let after = new.system.minimumOS, before != after {
            lines.append("\(name): the oldest system changes from \(before) to \(after).")
        }
        if let before = old.system.linkedSDK, let after = new.system.linkedSDK, before != after {
            lines.append("\(name): the linked SDK changes from \(before.version) to \(after.version).")
        }
        return lines
    }

    private static func words(_ host: AuditedHost) -> String {
        "\(host.row.name) (\(host.ruling.words)), in \(host.row.found.first?.words ?? "")"
    }
}
