import Foundation
import Seeded
import TLSEngine
import Testing

@Suite("a client's reaction to an origin, derived from an encrypted conversation")
struct ConversationWatchTests {
    /// A conversation between OpenSSL's client and server, by Tests/Conversations/record.py.
    struct Conversation: Sendable, CustomTestStringConvertible {
        let name: String
        /// The client's known reaction, as in `refused alert-48 certain`.
        let known: String
        /// The sides and their bytes; empty for an end.
        let steps: [(isClient: Bool, bytes: [UInt8])]

        var testDescription: String { name }
    }

    static let conversations: [Conversation] = {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = tests.appending(path: "Conversations/conversations.jsonl")
        let lines = (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n") ?? []
        return lines.compactMap { line in
            guard let json = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let name = json["name"] as? String, let known = json["known"] as? String,
                let steps = json["steps"] as? [[Any]]
            else { return nil }
            return Conversation(
                name: name, known: known,
                steps: steps.map { step in
                    let hex = Array((step.last as? String ?? "").utf8)
                    let bytes = stride(from: 0, to: hex.count - 1, by: 2).map {
                        digit(hex[$0]) << 4 | digit(hex[$0 + 1])
                    }
                    return (step.first as? String == "client", bytes)
                })
        }
    }()

    private static func digit(_ character: UInt8) -> UInt8 { character < 0x3A ? character - 0x30 : character - 0x57 }

    /// Feeds a watch the conversation's first `count` steps.
    ///
    /// - Parameters:
    /// - piece: the largest piece, in bytes.
    /// - pause: between two steps, in microseconds.
    private func watch(
        _ conversation: Conversation, steps count: Int = .max, piece: Int = .max, pause: Int64 = 1_000
    ) -> ConversationWatch {
        var watch = ConversationWatch()
        var ticks: Int64 = 0
        for step in conversation.steps.prefix(count) {
            ticks += pause
            if step.bytes.isEmpty {
                if step.isClient { watch.clientEnded(at: ticks) } else { watch.originEnded() }
            }
            var start = 0
            while start < step.bytes.count {
                let end = start + min(piece, step.bytes.count - start)
                Array(step.bytes[start..<end]).withUnsafeBytes {
                    if step.isClient { watch.clientSent($0, at: ticks) } else { watch.originSent($0) }
                }
                start = end
            }
        }
        return watch
    }

    private func words(_ outcome: ConversationOutcome) -> String {
        "\(outcome.outcome.rawValue) \(outcome.how) \(outcome.isCertain ? "certain" : "inferred")"
    }

    @Test(
        "the known reaction of a client is recognized, in any split",
        arguments: conversations)
    func recorded(conversation: Conversation) {
        for piece in [.max, 1, 2, 3, 5, 7, 64] {
            let watch = watch(conversation, piece: piece)
            #expect(words(watch.outcome) == conversation.known)
            #expect(watch.isSettled == (watch.outcome.outcome == .accepted))
        }
    }

    @Test("conversations of each kind exist")
    func whole() {
        #expect(Self.conversations.count == 20)
        #expect(Set(Self.conversations.map { $0.known.split(separator: " ")[0] }) == ["accepted", "refused"])
    }

    @Test("before the client reacts to the origin, its reaction is unknown", arguments: conversations)
    func unfinished(conversation: Conversation) throws {
        // Hello and its answer; a request for another hello and its answer are two more.
        #expect(watch(conversation, steps: 0).outcome == .unknown(.noHello))
        #expect(watch(conversation, steps: 1).outcome == .unknown(.unfinished))
        var left = watch(conversation, steps: 1)
        left.clientEnded(at: 9_000)
        #expect(left.outcome == .unknown(.leftBeforeAnswer))
        var cut = watch(conversation, steps: 1)
        cut.originEnded()
        #expect(cut.outcome == .unknown(.originClosed))
    }

    @Test("a client that leaves after the certificate has refused it; one whose origin leaves has not")
    func silent() throws {
        for conversation in Self.conversations where conversation.known.contains("alert-48") {
            let behind = conversation.steps.count - 2
            var left = watch(conversation, steps: behind)
            left.clientEnded(at: 9_000)
            #expect(words(left.outcome) == "refused closed-in-handshake inferred")
            var cut = watch(conversation, steps: behind)
            cut.originEnded()
            cut.clientEnded(at: 9_001)
            #expect(cut.outcome == .unknown(.originClosed))
        }
    }

    @Test("a connection that closes unused after a while was opened in advance")
    func unused() throws {
        for conversation in Self.conversations where conversation.name.hasPrefix("left behind") {
            #expect(watch(conversation, pause: 300_000).outcome.sign == .closedBeforeRequest)
            #expect(watch(conversation, pause: 1_000_001).outcome == .unknown(.unused))
        }
    }

    @Test(
        "cleartext alerts that do not concern the origin are not certain refusals",
        arguments: [(0, "closed-in-handshake"), (90, "canceled-90"), (80, "alert-80")] as [(UInt8, String)])
    func otherAlerts(number: UInt8, how: String) throws {
        let refused = try #require(Self.conversations.first { $0.name == "refused, 1.2" })
        var watch = watch(refused, steps: 2)
        [21, 3, 3, 0, 2, number == 80 ? 2 : 1, number].withUnsafeBytes { watch.clientSent($0, at: 5_000) }
        watch.clientEnded(at: 6_000)
        #expect(watch.outcome.how == how)
        #expect(watch.outcome.outcome == (number == 90 ? .unknown : .refused))
        #expect(watch.outcome.isCertain == (number == 90))
    }

    @Test("a warning alert is skipped")
    func warning() throws {
        let accepted = try #require(Self.conversations.first { $0.name == "accepted, 1.2" })
        var watch = ConversationWatch()
        for (index, step) in accepted.steps.enumerated() where !step.bytes.isEmpty {
            if index == 2 { ([21, 3, 3, 0, 2, 1, 41] as [UInt8]).withUnsafeBytes { watch.clientSent($0, at: 1) } }
            step.bytes.withUnsafeBytes {
                if step.isClient { watch.clientSent($0, at: 2) } else { watch.originSent($0) }
            }
        }
        #expect(words(watch.outcome) == "accepted application-data certain")
    }

    @Test(
        "damaged conversations never trap and have the same outcome at every split",
        arguments: 0..<30 as Range<UInt64>)
    func mutated(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let chosen = try #require(Self.conversations.randomElement(using: &random))
        var steps = chosen.steps
        for _ in 0..<3 {
            guard let step = steps.indices.randomElement(using: &random),
                let index = steps[step].bytes.indices.randomElement(using: &random)
            else { continue }
            steps[step].bytes[index] = UInt8.random(in: 0...255, using: &random)
        }
        let damaged = Conversation(name: chosen.name, known: "", steps: steps)
        let whole = words(watch(damaged).outcome)
        for piece in [1, 3, 50] { #expect(words(watch(damaged, piece: piece).outcome) == whole) }
    }

    @Test("early data after a compatibility change of cipher proves nothing before the origin answers")
    func earlyData() throws {
        let accepted = try #require(Self.conversations.first { $0.name == "accepted, 1.3" })
        var watch = ConversationWatch()
        accepted.steps[0].bytes.withUnsafeBytes { watch.clientSent($0, at: 1) }
        let early: [UInt8] = [20, 3, 3, 0, 1, 1, 23, 3, 3, 0, 30] + [UInt8](repeating: 7, count: 30)
        early.withUnsafeBytes { watch.clientSent($0, at: 2) }
        watch.clientEnded(at: 3)
        #expect(watch.outcome == .unknown(.leftBeforeAnswer))
        accepted.steps[1].bytes.withUnsafeBytes { _ = watch.originSent($0) }
        #expect(watch.outcome.outcome == .unknown)
    }
}
