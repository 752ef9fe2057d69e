import ATSPolicy
import Evidence
import Records
import Reporting

/// Makes records of what logs say.
struct EvidenceFiling {
    /// What is known of the app beside its log.
    struct App {
        var declaration: Declaration
        /// File of the dictionary; nil for the secure defaults.
        var policy: String?
        var switches = JudgeSwitches()
        /// The system of all loads, where somebody named one.
        var profile: OSProfile?
    }

    let recording: String
    /// Loads of which no record can be made, by what their log does not tell.
    private(set) var left: [Lack: Int] = [:]
    private(set) var filed = 0

    private let app: App
    /// Milliseconds since 1970-01-01 UTC, for loads without a date.
    private let now: Int64
    private var clients: [String: RecordedClient] = [:]
    private var judges: [String: Judge] = [:]

    /// What a record has to have. Raw values are shown.
    enum Lack: String, CaseIterable {
        case host
        case scheme
        case end
    }

    init(_ app: App, recording: String, now: Int64) {
        self.app = app
        self.recording = recording
        self.now = now
    }

    /// nil for a load of which no record can be made: it is counted.
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

    /// `2 without a host, 1 without an end`; nil where every load was filed.
    var remark: String? {
        let parts = Lack.allCases.compactMap { lack in
            left[lack].map { "\($0) whose \(lack.rawValue) its log does not tell" }
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private mutating func judge(_ profile: OSProfile) -> Judge {
        if let known = judges[profile.name] { return known }
        let judge = Judge(declaration: app.declaration, profile: profile, switches: app.switches)
        judges[profile.name] = judge
        return judge
    }

    /// Loads of one process share this part, and so their forms.
    private mutating func client(_ task: EvidenceTask, _ profile: OSProfile) -> RecordedClient {
        let isTold = task.system.flatMap(OSProfile.named) != nil
        let key = "\(task.app ?? "") \(isTold) \(profile.name)"
        if let known = clients[key] { return known }
        let note = "its log does not tell the system: taken for \(profile.title), the newest"
        let new = RecordedClient(
            address: unknownAddress, label: task.app, userAgent: nil, loader: .app, os: profile.name,
            osEvidence: app.profile == nil && isTold ? "its log" : nil,
            osNotes: app.profile == nil && !isTold ? [note] : [])
        if clients.count < clientLimit { clients[key] = new }
        return new
    }
}

/// No line of the system tells a method, or the device's address.
private let unknownMethod = "-"
private let unknownAddress = "-"
private let clientLimit = 1_000
