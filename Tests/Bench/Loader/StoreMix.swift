import ATSPolicy
import Records

/// Generates loads like those of an app's tests: one connection after another, each with some loads to one of many
/// hosts.
struct StoreMix {
    private let origins: [SampleOrigin]
    private let judge: Judge
    private let paths: Int
    private let perConnection: Int
    private let recording: String
    private let clients: [(label: String, userAgent: String)]
    private var connection: Connection?

    /// The common parts of the loads of one connection.
    private struct Connection {
        let number: Int
        let place: SampleOrigin
        let client: RecordedClient
        let policy: RecordedPolicy
        let origin: RecordedOrigin?
    }

    /// - Parameter refused: the loads of one in so many hosts are blocked.
    /// - Throws: only if the rules no longer accept these keys.
    init(hosts: Int, oneIn refused: Int, paths: Int, perConnection: Int, recording: String) throws {
        let judge = Judge(declaration: try LawMix.declaration(), profile: .newest)
        origins = (0..<hosts).map { SampleOrigin($0, oneIn: refused, judge: judge) }
        clients = (0..<3).map { ("device \($0)", "Demo/\($0) CFNetwork/3826.400.120 Darwin/24.3.0") }
        (self.judge, self.paths, self.perConnection, self.recording) = (judge, paths, perConnection, recording)
    }

    /// Returns the load of this number; call it in order.
    mutating func record(_ number: Int) -> LoadRecord {
        let connection = connection(number / perConnection)
        let place = connection.place
        let path = "/v1/items/\(paths == 0 ? number : number &* 7919 % paths)/detail?session=***"
        var record = LoadRecord(
            time: start + Int64(number) * 3, recording: recording, client: connection.client,
            load: RecordedRequest(method: "GET", path: path, target: place.target, wireProtocol: .http1),
            policy: connection.policy, verdict: place.verdict.failure == nil ? .allowed : .blocked)
        record.origin = connection.origin
        if place.verdict.failure == nil {
            (record.status, record.bytesReceived) = (200, Int64(number % 9973))
        } else {
            record.refusal = place.facts == nil ? .page : .untrustedLeaf
            record.diagnosis = RecordedDiagnosis(
                findings: place.verdict.findings, apple: place.apple(path, number, judge), remedy: place.verdict.remedy)
        }
        record.timing.connect = Int64(900 + number % 700)
        record.timing.handshake = place.facts.map { _ in Int64(4000 + number % 3000) }
        record.timing.firstByte = Int64(12_000 + number % 9000)
        record.timing.total = Int64(13_000 + number % 11_000)
        record.masked = ["load.url.query"]
        return record
    }

    private mutating func connection(_ number: Int) -> Connection {
        if let connection, connection.number == number { return connection }
        // Neighbours differ, and every pair of host and client occurs.
        let place = origins[number &* 31 % origins.count]
        let client = clients[number / origins.count % clients.count]
        let new = Connection(
            number: number, place: place,
            client: RecordedClient(
                address: "127.0.0.1:\(20_000 + number % 40_000)", label: client.label, userAgent: client.userAgent,
                loader: .app, os: judge.profile.name),
            policy: RecordedPolicy(
                source: "App/Info.plist", bundleID: "test.bench.demo", os: judge.profile.name, basis: place.basis),
            origin: place.facts.map { facts in
                RecordedOrigin(address: "192.0.2.\(number % 2 + 1):\(place.target.port)", facts: facts)
            })
        connection = new
        return new
    }

    /// 2026-11-21.
    private let start: Int64 = 1_795_219_200_000
}
