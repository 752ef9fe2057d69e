import ATSPolicy
import Foundation
import GRDB
import Records
import Reporting
import Samples
import Seeded
import TestSupport
import Testing

@Suite("Handshakes in a store")
struct HandshakeStoreTests {
    @Test("any generated handshake is unchanged after a round trip through text", arguments: seeds)
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
        let chains: Set = ["served", "path", "otherPaths"]
        #expect(Set(facts.keys) == labels(handshake.facts as Any).subtracting(chains).union(["chain"]))
        let certificates = (facts["chain"] as? [String: Any])?["certificates"] as? [[String: Any]]
        #expect(certificates?.first.map { Set($0.keys) } == labels(handshake.facts?.served.first as Any))
        #expect((object?["offer"] as? [String: Any]).map { Set($0.keys) } == labels(handshake.offer as Any))
        #expect(try read(handshake.text) == handshake)
    }

    @Test("handshakes that were read back get the same ruling, for every example of every rule")
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

    @Test("a store whose handshake is missing or not JSON is refused", arguments: ["DELETE FROM", "UPDATE"])
    func damaged(change: String) throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let sink = try StoreSink(path: path)
            try sink.write([SampleLoads.plain()])
            try sink.close()
            let sql = change == "UPDATE" ? "UPDATE handshake SET text = '{'" : "DELETE FROM handshake"
            try DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
            let cause = "handshake 1 is " + (change == "UPDATE" ? "not a handshake" : "missing")
            #expect(throws: StoreError.damaged(path: path, cause: cause)) {
                try StoreReader(path: path).records()
            }
        }
    }

    private func read(_ text: String) throws -> RecordedHandshake {
        try JSONDecoder().decode(RecordedHandshake.self, from: Data(text.utf8))
    }

    /// The names of a structure's stored properties.
    private func labels(_ value: Any) -> Set<String> {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return Set(mirror.children.compactMap(\.label)) }
        return mirror.children.first.map { labels($0.value) } ?? []
    }
}

private let seeds: [UInt64] = [9802, 1022, .random(in: .min ... .max)]
