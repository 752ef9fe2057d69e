public import ATSPolicy
public import Diagnosis

/// The rulings on one host: the strictest among the programs that contain it.
public struct HostRuling: Sendable, Hashable {
    public let app: Bool
    public let web: Bool
    public let media: Bool

    /// - Parameter judges: of the programs that contain the host.
    init(_ target: LoadTarget, by judges: [Judge]) {
        func isPermitted(_ loader: Loader) -> Bool {
            judges.allSatisfy { judge in
                if case .permit = judge.rule(on: target, loader: loader) { return true }
                return false
            }
        }
        app = isPermitted(.app)
        web = isPermitted(.web)
        media = isPermitted(.media)
    }

    /// `allowed`, or the loaders that are blocked.
    public var words: String {
        let blocked = [(app, "app"), (web, "web"), (media, "media")].filter { !$0.0 }.map(\.1)
        if blocked.isEmpty { return "allowed" }
        return blocked.count == 3 ? "blocked" : "blocked for \(blocked.joined(separator: " and "))"
    }

    static func value(_ isPermitted: Bool) -> String { isPermitted ? "permit" : "deny" }
}

/// One host of an app with its ruling.
public struct AuditedHost: Sendable, Hashable {
    public let row: HostRow
    public let ruling: HostRuling
    /// True if only this machine or its network is reached.
    public let isLocal: Bool
    /// Loads of the recording; nil without a recording.
    public internal(set) var loads: Int?
    /// The result of `--probe`; nil if the host was not probed.
    public internal(set) var probe: HostProbe?
}

/// The result of a test handshake with a host.
public struct HostProbe: Sendable, Hashable {
    /// Raw values are shown in JSON.
    public enum Result: String, Sendable, Hashable {
        case pass, fail, error
    }

    public let result: Result
    /// One line.
    public let words: String

    public init(_ result: Result, words: String) {
        self.result = result
        self.words = words
    }
}

/// The transport security of an app, and the hosts in its files.
public struct AuditReport: Sendable {
    /// As the user named it.
    public let path: String
    /// SHA-256 of the file. For a folder, that of the list of its files, see `docs/audit.md`.
    public let digest: String
    /// Paths of all files, from the outermost bundle on.
    let paths: [String]
    public let profile: OSProfile
    public internal(set) var executables: [AuditedExecutable]
    public internal(set) var hosts: [AuditedHost]
    /// URLs that the app does not load.
    public let noise: [(kind: Noise.Kind, row: HostRow)]
    /// URLs whose host is inserted when the program runs.
    public let templates: [HostRow]
    /// Remarks on parts that were not read.
    public let remarks: [String]
    /// The malformed binaries, on one line; nil if there are none.
    let malformed: String?
    public internal(set) var coverage: Coverage?
    /// The keys of the dictionaries that known SDKs and templates write; nil if they were not requested.
    public var keyOrigins: [KeyOrigin]?

    init(
        path: String, digest: String, paths: [String], executables: [AuditedExecutable], reader: HostReader,
        profile: OSProfile
    ) {
        self.path = path
        self.digest = digest
        self.paths = paths
        self.profile = profile
        self.executables = executables
        let judges = Dictionary(
            executables.map { ($0.path, Judge(declaration: $0.declaration, profile: profile)) },
            uniquingKeysWith: { $1 })
        hosts = reader.hosts.sorted.map { row in
            let target = row.target
            let found = row.executables.sorted().compactMap { judges[$0] }
            let basis = found.first?.rule(on: target, loader: .app).basis
            return AuditedHost(
                row: row, ruling: HostRuling(target, by: found), isLocal: basis?.isLocal ?? false)
        }
        noise = reader.hosts.sortedNoise
        templates = reader.hosts.sortedTemplates
        let archives = reader.archives.prefix(Self.mostNames).joined(separator: ", ")
        let more = reader.archives.count > Self.mostNames ? " and \(reader.archives.count - Self.mostNames) more" : ""
        malformed = reader.malformed.first.map { first in
            let more = reader.malformed.count > 1 ? " and \(reader.malformed.count - 1) more" : ""
            return first + more
        }
        remarks =
            reader.remarks
            + (archives.isEmpty ? [] : ["archives inside of the app were not unpacked: \(archives)\(more)"])
            + (reader.hosts.isCut ? ["there are more hosts than this page can list"] : [])
        for remark in remarks { add(AuditFinding(.unreadable, remark, about: path, in: path), to: executables[0].path) }
        for host in hosts where host.row.isCleartext && !host.isLocal { add(cleartext: host) }
    }

    /// The worst grade of the programs.
    public var grade: Grade { executables.map(\.grade).max() ?? .a }

    /// The first sentence of the page: that of the program with the worst grade.
    public var headline: String {
        let worst = executables.first { $0.grade == grade }
        guard let worst, let first = worst.dictionary.first else { return "" }
        return (worst.path == executables.first?.path ? first : "\(worst.path): \(first)")
            + (malformed.map { " Read as plain bytes: \($0)." } ?? "")
    }

    /// The severest findings first.
    public var findings: [AuditFinding] { executables.flatMap(\.findings).bySeverity }

    /// True if a finding reaches a severity.
    public func fails(_ severity: LintRule.Severity?) -> Bool {
        guard let severity else { return false }
        return executables.contains { $0.findings.contains { $0.severity >= severity } }
    }

    mutating func add(_ finding: AuditFinding, to executable: String) {
        let index = executables.firstIndex { $0.path == executable } ?? 0
        guard executables.indices.contains(index) else { return }
        executables[index].findings = (executables[index].findings + [finding]).bySeverity
    }

    private mutating func add(cleartext host: AuditedHost) {
        let file = host.row.found.first?.file ?? path
        let owner = host.row.executables.min() ?? ""
        let finding =
            host.ruling.app
            ? AuditFinding(
                .cleartextAllowed, "the app contains \(host.row.name), and its dictionary allows this cleartext load",
                about: host.row.name, in: file)
            : AuditFinding(
                .cleartextBlocked,
                "the app contains \(host.row.name), which ATS blocks for \(host.ruling.web && host.ruling.media ? "the app's own loads" : "this app") (-1022)",
                about: host.row.name, in: file)
        add(finding, to: owner)
    }

    private static let mostNames = 3
}
