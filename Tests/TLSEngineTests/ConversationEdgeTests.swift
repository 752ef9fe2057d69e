import TLSEngine
import Testing

@Suite("edge cases of encrypted conversations whose client's part alone does not reveal the outcome")
struct ConversationEdgeTests {
    /// One side's next bytes; empty for its end.
    private enum Step {
        case client([UInt8])
        case origin([UInt8])
    }

    /// Plays the first steps of a recorded conversation, then `steps`, in pieces of at most `piece` bytes.
    private func outcome(of name: String, _ count: Int, then steps: [Step], piece: Int = .max) throws -> String {
        let known = try #require(ConversationWatchTests.conversations.first { $0.name == name })
        var watch = ConversationWatch()
        var ticks: Int64 = 0
        for step in known.steps.prefix(count).map({ $0.isClient ? Step.client($0.bytes) : .origin($0.bytes) }) + steps {
            ticks += 1_000
            switch step {
            case .client(let bytes):
                if bytes.isEmpty { watch.clientEnded(at: ticks) }
                for part in parts(bytes, piece) { part.withUnsafeBytes { watch.clientSent($0, at: ticks) } }
            case .origin(let bytes):
                if bytes.isEmpty { watch.originEnded() }
                for part in parts(bytes, piece) { part.withUnsafeBytes { _ = watch.originSent($0) } }
            }
        }
        let outcome = watch.outcome
        #expect(!watch.isSettled || outcome.outcome == .accepted)
        return "\(outcome.outcome.rawValue) \(outcome.how) \(outcome.isCertain ? "certain" : "inferred")"
    }

    private func parts(_ bytes: [UInt8], _ piece: Int) -> [[UInt8]] {
        piece >= bytes.count
            ? [bytes]
            : stride(from: 0, to: bytes.count, by: piece).map { Array(bytes[$0..<min($0 + piece, bytes.count)]) }
    }

    private func record(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
        [type, 3, 3, UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body
    }

    private func sealed(_ length: Int) -> [UInt8] { record(23, [UInt8](repeating: 7, count: length)) }

    /// A response that is too long for a ticket.
    private var longAnswer: [UInt8] { (0..<5).flatMap { _ in sealed(16_401) } }

    // MARK: TLS 1.3 records with ambiguous sizes

    @Test("a certificate in one record with Finished is not a refusal, and a long response shows acceptance")
    func packed() throws {
        let packed = [Step.client(sealed(1_500)), .client(sealed(700))]
        for piece in [.max, 3, 1_000] {
            func told(_ steps: [Step]) throws -> String {
                try outcome(of: "accepted, 1.3", 2, then: steps, piece: piece)
            }
            #expect(try told(packed) == "unknown unfinished certain")
            #expect(try told(packed + [.client([])]) == "unknown unclear-records certain")
            #expect(try told(packed + [.origin([])]) == "unknown origin-closed certain")
            #expect(try told([packed[0], .client([])]) == "unknown unclear-records certain")
            #expect(try told(packed + [.origin(longAnswer)]) == "accepted application-data inferred")
            #expect(
                try told([packed[0], .origin(sealed(250)), packed[1]]) == "accepted application-data inferred")
            // Before the client's next bytes, the origin's own flight is not a response.
            #expect(try told([.origin(longAnswer), .client([])]) == "refused closed-in-handshake inferred")
        }
    }

    @Test("a flight of any length does not answer early data")
    func earlyData() throws {
        let early = [Step.client(sealed(30))]
        let flight = try #require(ConversationWatchTests.conversations.first { $0.name == "accepted, 1.3" }).steps[1]
        let answered = early + [.origin(flight.bytes), .origin(longAnswer)]
        #expect(try outcome(of: "accepted, 1.3", 1, then: answered) == "unknown unfinished certain")
        #expect(
            try outcome(of: "accepted, 1.3", 1, then: early + [.client([])]) == "unknown left-before-answer certain")
        #expect(
            try outcome(of: "accepted, 1.3", 1, then: answered + [.client(sealed(19)), .client([])])
                == "refused sealed-alert inferred")
    }

    // MARK: Unreadable bytes

    @Test(
        "unreadable bytes of a client are not a refusal",
        arguments: [
            // An SSL 2 hello, a heartbeat (RFC 6520), a record that is too long.
            (0, [0x80, 0x2E, 1, 3, 3, 0, 3, 0]), (1, [24, 3, 3, 0, 3, 1, 0, 0]), (1, [22, 3, 3, 0xFF, 0xFF, 1]),
        ] as [(Int, [UInt8])])
    func unreadableClient(spoken: Int, bytes: [UInt8]) throws {
        for name in ["accepted, 1.2", "accepted, 1.3"] {
            let conversation = try #require(ConversationWatchTests.conversations.first { $0.name == name })
            let answer = Step.origin(conversation.steps[1].bytes)
            let steps = spoken == 0 ? [.client(bytes), answer] : [answer, .client(bytes)]
            for piece in [.max, 1] {
                let told = try outcome(of: name, spoken, then: steps + [.client([])], piece: piece)
                #expect(told == "unknown unreadable certain")
            }
        }
        // A known outcome is kept.
        #expect(
            try outcome(of: "refused, 1.2", 3, then: [.client(bytes), .client([])]) == "refused alert-48 certain")
    }

    @Test(
        "unreadable bytes of the origin are not a refusal either",
        arguments: [
            // Not TLS; a message instead of ServerHello; a record that is too long.
            Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), [22, 3, 3, 0, 4, 11, 0, 0, 0], [22, 3, 3, 0xFF, 0xFF, 1],
        ] as [[UInt8]])
    func unreadableOrigin(bytes: [UInt8]) throws {
        for piece in [.max, 1] {
            let told = try outcome(
                of: "accepted, 1.2", 1, then: [.origin(bytes), .client(sealed(40)), .client([])], piece: piece)
            #expect(told == "unknown unreadable certain")
        }
    }

    // MARK: Ends by the origin

    @Test("an alert of the origin after its certificate is its own end, not a refusal by the client")
    func originAlert() throws {
        let alert = Step.origin(record(21, [2, 40]))
        for steps in [
            [alert, .client([])], [alert, .client(record(21, [1, 0])), .client([])],
            [.origin(record(21, [1, 0])), .client([])],
        ] {
            #expect(try outcome(of: "accepted, 1.2", 2, then: steps) == "unknown origin-closed certain")
        }
        // The side that first announced its end has left.
        let own = [Step.client(record(21, [1, 0])), .origin(record(21, [1, 0])), .client([])]
        #expect(try outcome(of: "accepted, 1.2", 2, then: own) == "refused closed-in-handshake inferred")
        #expect(
            try outcome(of: "accepted, 1.2", 2, then: [alert, .client(record(21, [2, 42]))])
                == "refused alert-42 certain")
    }

    @Test("a warning of the origin does not end the conversation")
    func originWarning() throws {
        let warned = [Step.origin(record(21, [1, 112])), .client([])]
        #expect(try outcome(of: "accepted, 1.2", 2, then: warned) == "refused closed-in-handshake inferred")
    }

    @Test("an alert of the origin after the handshake, before any data, is not a refusal by the client")
    func originAlertBehindFinished() throws {
        let sealedAlert = [UInt8](repeating: 9, count: 26)
        // Before and after the origin's own Finished.
        for count in [3, 4] {
            let left = [Step.origin(record(21, sealedAlert)), .client(record(21, sealedAlert)), .client([])]
            #expect(try outcome(of: "accepted, 1.2", count, then: left) == "unknown origin-closed certain")
        }
    }
}
