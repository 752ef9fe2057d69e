import ATSPolicy
import Foundation
import GRDB
import Records
import Reporting
import Seeded
import Testing

@Suite("Handshakes in a store")
struct HandshakeStoreTests {
    @Test("a handshake of any kind is the same after text, for generated ones", arguments: seeds)
    func text(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        for round in 0..<200 {
            let handshake = dice.handshake()
            #expect(try read(handshake.text) == handshake, "seed \(seed), round \(round)")
        }
    }

    @Test("every property of the facts is kept")
    func everyProperty() throws {
        let handshake = HandshakeExamples.full
        let object = try JSONSerialization.jsonObject(with: Data(handshake.text.utf8)) as? [String: Any]
        let facts = try #require(object?["facts"] as? [String: Any])
        let chains: Set = ["served", "path"]
        #expect(Set(facts.keys) == labels(handshake.facts as Any).subtracting(chains).union(["chain"]))
        let certificates = (facts["chain"] as? [String: Any])?["certificates"] as? [[String: Any]]
        #expect(certificates?.first.map { Set($0.keys) } == labels(handshake.facts?.served.first as Any))
        #expect((object?["offer"] as? [String: Any]).map { Set($0.keys) } == labels(handshake.offer as Any))
        #expect(try read(handshake.text) == handshake)
    }

    @Test("the law says the same of what was read back, for every example of every rule")
    func judgedAgain() throws {
        for rule in RuleBook.standard.rules {
            for example in rule.examples {
                var again = example.handshake
                again.facts = try #require(read(RecordedHandshake(facts: again.facts).text).facts)
                let book = RuleBook.standard
                #expect(book.judge(again) == book.judge(example.handshake), "\(rule.id.rawValue): \(example.title)")
            }
        }
    }

    @Test("loads come with their handshakes, chunk by chunk, in the order filed")
    func chunks() throws {
        try withFolder { folder in
            let sink = try StoreSink(path: folder + "/store.db")
            let origins = [
                RecordedOrigin(address: "a", facts: HandshakeExamples.full.facts),
                RecordedOrigin(address: "b", facts: nil),
                RecordedOrigin(
                    address: "c", facts: nil, failure: .alertReceived(40), offer: HandshakeExamples.full.offer),
            ]
            let filed = (0..<10).map { number in
                var record = SampleLoads.filed(SampleLoads.plain(number), id: "\(number)")
                record.origin = number == 9 ? nil : origins[number % 3]
                return record
            }
            try sink.write(filed)
            try sink.close()
            var chunks: [[RecordedLoad]] = []
            try StoreReader(path: folder + "/store.db").forEachChunk(recording: "nightly", of: 4) { chunks.append($0) }
            #expect(chunks.map(\.count) == [4, 4, 2])
            let loads = chunks.flatMap { $0 }
            #expect(loads.map(\.record.id) == filed.map(\.id))
            for (load, record) in zip(loads, filed) {
                let handshake = record.origin?.handshake
                #expect(load.handshake == (handshake?.isEmpty == false ? handshake : nil))
            }
            #expect(loads[0].handshakeID == loads[3].handshakeID)
            #expect(loads[0].handshakeID != loads[2].handshakeID)
            #expect(loads[1].handshakeID == nil)
        }
    }

    @Test("a handshake is in the file once, whatever connections, recordings and gates it belongs to")
    func once() throws {
        try withFolder { folder in
            for recording in ["a", "b"] {
                let sink = try StoreSink(path: folder + "/store.db")
                for number in 0..<3 {
                    var record = SampleLoads.plain(number, recording: recording)
                    record.origin = RecordedOrigin(
                        address: "192.0.2.\(number):443", facts: HandshakeExamples.full.facts)
                    try sink.write([record])
                }
                try sink.close()
            }
            let database = try DatabaseQueue(path: folder + "/store.db")
            #expect(try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM handshake") } == 1)
            #expect(try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM form") } == 6)
        }
    }

    @Test("loads that differ only in what the JSON does not tell have handshakes of their own")
    func distinct() throws {
        try withFolder { folder in
            let sink = try StoreSink(path: folder + "/store.db")
            var facts = try #require(HandshakeExamples.full.facts)
            var record = SampleLoads.plain()
            for names in [["a.test"], ["b.test"]] {
                facts.path[0].dnsNames = names
                record.origin = RecordedOrigin(address: nil, facts: facts)
                try sink.write([record])
            }
            try sink.close()
            var names: [[String]?] = []
            try StoreReader(path: folder + "/store.db").forEachChunk { loads in
                names += loads.map { $0.handshake?.facts?.path.first?.dnsNames }
            }
            #expect(names == [["a.test"], ["b.test"]])
        }
    }

    @Test("a load whose handshake is missing or no JSON is told without", arguments: ["DELETE FROM", "UPDATE"])
    func damaged(change: String) throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let sink = try StoreSink(path: path)
            try sink.write([SampleLoads.filed(SampleLoads.plain(), id: "x")])
            try sink.close()
            let sql = change == "UPDATE" ? "UPDATE handshake SET text = '{'" : "DELETE FROM handshake"
            try DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
            let reader = try StoreReader(path: path)
            var loads: [RecordedLoad] = []
            try reader.forEachChunk { loads += $0 }
            #expect(loads.count == 1 && loads[0].handshake == nil)
            #expect(reader.damage.examples.count == 1 && reader.damage.examples[0].hasPrefix("handshake 1: it is"))
        }
    }

    private func read(_ text: String) throws -> RecordedHandshake {
        try JSONDecoder().decode(RecordedHandshake.self, from: Data(text.utf8))
    }

    /// Names of the stored properties of a structure.
    private func labels(_ value: Any) -> Set<String> {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return Set(mirror.children.compactMap(\.label)) }
        return mirror.children.first.map { labels($0.value) } ?? []
    }
}

/// Handshakes to keep.
enum HandshakeExamples {
    /// Nothing in it is nil or empty.
    static let full: RecordedHandshake = {
        var leaf = CertificateFacts()
        leaf.subject = "CN=a.test"
        leaf.commonName = "a.test"
        leaf.signatureHashBits = 256
        leaf.unkeptNames = 7
        leaf.dnsNames = ["a.test", "*.a.test"]
        leaf.ipAddresses = ["192.0.2.1"]
        leaf.allowsServerAuth = true
        var facts = HandshakeFacts(
            version: .tls12, suite: CipherSuite(code: 0xC011, name: "TLS_ECDHE_RSA_WITH_RC4_128_SHA"), group: "X25519",
            alpn: "h2", served: [leaf], path: [leaf, leaf], anchor: .user, scts: SCTCounts(embedded: 1))
        facts.usesExtendedMasterSecret = true
        facts.signature = HandshakeSignature(.rsaPSS, hashBits: 256)
        facts.sctReview = SCTReview(counted: [], refused: [.unknownLog], listTime: 5)
        facts.staple = StapledAnswer(.revoked(at: 7, reason: 1), thisUpdate: 5, nextUpdate: 9)
        facts.clientCertificate = .asked
        facts.unkeptCertificates = 3
        return RecordedHandshake(
            facts: facts, failure: .notTLS([0x48, 0]),
            offer: TLSOffer(minimum: .tls12, maximum: .tls13, suites: OSProfile.iOS26.systemSuites))
    }()
}

private let seeds: [UInt64] = [9802, 1022, .random(in: .min ... .max)]
