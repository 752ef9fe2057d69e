import ATSPolicy
import Evidence
import Records
import Reporting

/// Makes records from the loads of logs.
struct EvidenceImporter {
    /// Facts about the app that its log does not contain.
    struct App {
        var declaration: Declaration
        /// File of the dictionary; nil for the secure defaults.
        var policy: String?
        var switches = JudgeSwitches()
        /// The release of all loads, if it was given.
        var profile: OSProfile?
    }

    let recording: String
    /// Loads that cannot become records, by the fact that their log lacks.
    private(set) var left: [MissingFact: Int] = [:]
    private(set) var filed = 0

    private let app: App
    /// Milliseconds since 1970-01-01 UTC, for loads without a date.
    private let now: Int64
    private var clients: [String: RecordedClient] = [:]
    private var judges: [String: Judge] = [:]

    /// The facts that a record needs. Raw values are shown.
    enum MissingFact: String, CaseIterable {
        case host
        case scheme
        case end
    }

    init(_ app: App, recording: String, now: Int64) {
        self.app = app
        self.recording = recording
        self.now = now
    }

    /// Returns a record; nil for a load that cannot become one, which is counted.
    mutating func record(of task: EvidenceTask) -> LoadRecord? {
        guard let target = task.target, let verdict = task.verdict else {
            left[task.host == nil ? .host : task.target == nil ? .scheme : .end, default: 0] += 1
            return nil
        }
        filed += 1
        let profile = app.profile ?? task.system.flatMap(OSProfile.named) ?? .newest
        let ruling = judge(profile).rule(on: target, loader: .app)
        var record = LoadRecord(
            time: task.time.flatMap(LogTime.milliseconds) ?? now, recording: recording, client: client(task, profile),
            load: RecordedRequest(
                method: unknownMethod, path: task.path, target: target,
                wireProtocol: task.tls?.alpn.flatMap { RecordedRequest.WireProtocol(rawValue: $0) } ?? .unknown),
            policy: RecordedPolicy(
                source: app.policy, bundleID: app.declaration.bundleID, os: profile.name, basis: ruling.basis,
                mode: RecordingOverview.Mode.device.rawValue),
            verdict: verdict)
        record.source = RecordSource(rawValue: task.source.rawValue) ?? .device
        record.status = task.status
        record.device = task.recordedDevice
        record.diagnosis = task.diagnosis
        return record
    }

    /// `2 whose log shows no host, 1 whose log shows no end`; nil if every load was imported.
    var remark: String? {
        let parts = MissingFact.allCases.compactMap { lack in
            left[lack].map { "\($0) whose log shows no \(lack.rawValue)" }
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private mutating func judge(_ profile: OSProfile) -> Judge {
        if let known = judges[profile.name] { return known }
        let judge = Judge(declaration: app.declaration, profile: profile, switches: app.switches)
        judges[profile.name] = judge
        return judge
    }

    /// Loads of one process share this part, so that they share a row of the store.
    private mutating func client(_ task: EvidenceTask, _ profile: OSProfile) -> RecordedClient {
        let isTold = task.system.flatMap(OSProfile.named) != nil
        let key = "\(task.app ?? "") \(isTold) \(profile.name)"
        if let known = clients[key] { return known }
        let note = "its log does not show the release: assumed \(profile.title), the newest"
        let new = RecordedClient(
            address: unknownAddress, label: task.app, userAgent: nil, loader: .app, os: profile.name,
            osEvidence: app.profile == nil && isTold ? "its log" : nil,
            osNotes: app.profile == nil && !isTold ? [note] : [])
        if clients.count < clientLimit { clients[key] = new }
        return new
    }
}

/// Logs of the system contain neither the method nor the device's address.
private let unknownMethod = "-"
private let unknownAddress = "-"
private let clientLimit = 1_000
