#if os(Linux)
import Foundation
import Processes
import Synchronization
import Testing
import TestSupport

/// Real servers as witnesses. `ATSGATE_WITNESS_CASES` sets the number of cases, `ATSGATE_WITNESS_SEED` the seed.
@Suite("servers of blocked origins as witnesses", .serialized, .timeLimit(.minutes(60)))
struct WitnessTests {
    private struct Case: Sendable {
        let server: WitnessServers.Server
        let pieces: [[UInt8]]
    }

    /// Results of cases, by server.
    private struct Tally: Sendable {
        var cases: [String: Int] = [:]
        /// Without the gate: the server replied, and it accepted the bytes as a request.
        var answered: [String: Int] = [:]
        var served: [String: Int] = [:]
        /// Through the gate.
        var heard: [String] = []
        var troubles: [String] = []
    }

    private static func setting(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    /// The same bytes sent without a gate show that the test can fail.
    @Test("no server of a blocked origin replies or receives a byte")
    func noServerReplies() async throws {
        let seed = Self.setting("ATSGATE_WITNESS_SEED") ?? UInt64.random(in: 0...999_999)
        let count = Int(Self.setting("ATSGATE_WITNESS_CASES") ?? 500)
        print("witnesses: \(count) cases of seed \(seed)")
        let (tally, verdicts) = try await onOwnThread { try Self.run(count, seed: seed) }
        print("witnesses: served directly \(tally.served) of \(tally.cases), answered \(tally.answered)")
        #expect(tally.heard.isEmpty, "seed \(seed): \(tally.heard.prefix(5).joined(separator: "\n"))")
        #expect(tally.troubles.isEmpty, "seed \(seed): \(tally.troubles.prefix(5).joined(separator: "\n"))")
        // The same bytes without a gate: every witness can detect them.
        for (name, cases) in tally.cases {
            #expect(tally.served[name, default: 0] >= max(1, cases / 5), "\(name), seed \(seed)")
            #expect(tally.answered[name, default: 0] >= max(1, cases / 2), "\(name), seed \(seed)")
        }
        #expect(verdicts["allowed"] == nil && verdicts["wouldBlock"] == nil, "\(verdicts)")
        #expect(verdicts["blocked", default: 0] >= count / 2, "\(verdicts)")
    }

    private static func run(_ count: Int, seed: UInt64) throws -> (Tally, [String: Int]) {
        let servers = try WitnessServers()
        var options = ["--listen", "socks5://127.0.0.1:0", "--json", "loads.jsonl"]
        for server in servers.all {
            options += ["--connect-to", "\(server.name).denied.test:80:127.0.0.1:\(server.port)"]
        }
        let site = try LabBehindGate(policy: "{}", options: options)
        let ports = site.folder.read("port").split(separator: "\n").compactMap { Int($0) }
        guard ports.count == 2 else { throw TestFailure(description: "ports: \(ports)") }
        var corpus = WitnessCorpus(seed: seed)
        let kinds = servers.all.count
        let cases = (0..<count).map { index in
            let server = servers.all[index % kinds]
            return Case(server: server, pieces: corpus.pieces(wantsHeader: server.wantsHeader))
        }
        let tally = Mutex(Tally())
        DispatchQueue.concurrentPerform(iterations: workers) { worker in
            for index in stride(from: worker, to: count, by: workers) {
                let isSOCKS = index / kinds % 2 == 1
                judge(cases[index], through: ports[isSOCKS ? 1 : 0], isSOCKS: isSOCKS, tally)
            }
        }
        site.gate.stop()
        withExtendedLifetime(servers) {}
        return (tally.withLock { $0 }, try verdicts(in: site.folder.read("loads.jsonl")))
    }

    private static func judge(_ one: Case, through port: Int, isSOCKS: Bool, _ tally: borrowing Mutex<Tally>) {
        let direct = Result { try say(one.pieces, to: RawClient(port: one.server.port, deadlineMilliseconds: 4_000)) }
        let gated = Result {
            let client = try RawClient(port: port, deadlineMilliseconds: 20_000)
            try isSOCKS ? openBySOCKS(client, one.server) : openByConnect(client, one.server)
            return try say(one.pieces, to: client)
        }
        tally.withLock { tally in
            let name = one.server.name
            tally.cases[name, default: 0] += 1
            if case .success(let text) = direct {
                if !text.isEmpty { tally.answered[name, default: 0] += 1 }
                if text.contains("WITNESS") { tally.served[name, default: 0] += 1 }
            }
            let words = String(decoding: one.pieces.joined(), as: UTF8.self).suffix(200).debugDescription
            switch gated {
            case .success(let text) where isOwn(text): break
            case .success(let text):
                tally.heard.append("\(name) replied after \(words): \(text.suffix(300).debugDescription)")
            case .failure(let error): tally.troubles.append("\(name) after \(words): \(error)")
            }
        }
    }

    /// True for the gate's own replies, which contain its name, or begin like HTTP/2 or a TLS alert. These servers send
    /// only HTTP/1, and never the gate's name.
    private static func isOwn(_ text: String) -> Bool {
        guard !text.isEmpty, !text.contains("WITNESS") else { return text.isEmpty }
        return text.contains("atsgate") || text.utf8.first == 0 || text.utf8.first == 0x15
    }

    /// Sends all pieces, half-closes, and returns the reply.
    private static func say(_ pieces: [[UInt8]], to client: RawClient) throws -> String {
        let before = client.received.count
        for piece in pieces { try client.send(piece) }
        client.finish()
        try client.read()
        return String(decoding: client.received[before...], as: UTF8.self)
    }

    private static func openByConnect(_ client: RawClient, _ server: WitnessServers.Server) throws {
        let place = "\(server.name).denied.test:80"
        try client.send("CONNECT \(place) HTTP/1.1\r\nHost: \(place)\r\n\r\n")
        let answer = try client.read { $0.contains("\r\n\r\n") }
        guard answer.hasPrefix("HTTP/1.1 200 ") else { throw TestFailure(description: answer) }
    }

    private static func openBySOCKS(_ client: RawClient, _ server: WitnessServers.Server) throws {
        let host = Array("\(server.name).denied.test".utf8)
        try client.send([5, 1, 0, 5, 1, 0, 3, UInt8(host.count)] + host + [0, 80])
        try client.read { _ in client.received.count >= 12 }
        guard client.received.count == 12, client.received[3] == 0 else {
            throw TestFailure(description: "SOCKS: \(client.received)")
        }
    }

    /// The number of recorded verdicts on the witnesses' hosts.
    private static func verdicts(in lines: String) throws -> [String: Int] {
        var verdicts: [String: Int] = [:]
        for line in lines.split(separator: "\n") where line.contains(".denied.test") {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            verdicts[object?["verdict"] as? String ?? "none", default: 0] += 1
        }
        return verdicts
    }

    private static let workers = 8
}
#endif
