import TLSEngine
import Testing

@Suite("conversations that nobody opens, where the client's part alone does not tell what it made of the origin")
struct ConversationEdgeTests {
    /// One side's next words; no bytes for an end.
    private enum Step {
        case client([UInt8])
        case origin([UInt8])
    }

    /// The first steps of a recorded conversation, then these, told in pieces of that many bytes at most.
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

    /// An answer that is no ticket.
    private var longAnswer: [UInt8] { (0..<5).flatMap { _ in sealed(16_401) } }

    // MARK: Records of TLS 1.3 whose sizes say too little

    @Test("a certificate in one record with its Finished is no refusal, and a long answer to it shows that it is used")
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
            // Before it has said anything, the origin's own flight is no answer.
            #expect(try told([.origin(longAnswer), .client([])]) == "refused closed-in-handshake inferred")
        }
    }

    @Test("early data alone is not answered by a flight, however long that is")
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

    // MARK: What can not be read

    @Test(
        "a client's words that can not be read are no refusal",
        arguments: [
            // A hello as SSL 2 had it, a heartbeat (RFC 6520), a record longer than any.
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
        // What is known by then stays.
        #expect(
            try outcome(of: "refused, 1.2", 3, then: [.client(bytes), .client([])]) == "refused alert-48 certain")
    }

    @Test(
        "nor is it one when the origin's words can not be read",
        arguments: [
            // No TLS; a message in the place of ServerHello; a record longer than any.
            Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), [22, 3, 3, 0, 4, 11, 0, 0, 0], [22, 3, 3, 0xFF, 0xFF, 1],
        ] as [[UInt8]])
    func unreadableOrigin(bytes: [UInt8]) throws {
        for piece in [.max, 1] {
            let told = try outcome(
                of: "accepted, 1.2", 1, then: [.origin(bytes), .client(sealed(40)), .client([])], piece: piece)
            #expect(told == "unknown unreadable certain")
        }
    }

    // MARK: Ends of the origin's

    @Test("an alert of the origin behind its certificate is its own end, and no refusal of the client's")
    func originAlert() throws {
        let alert = Step.origin(record(21, [2, 40]))
        for steps in [
            [alert, .client([])], [alert, .client(record(21, [1, 0])), .client([])],
            [.origin(record(21, [1, 0])), .client([])],
        ] {
            #expect(try outcome(of: "accepted, 1.2", 2, then: steps) == "unknown origin-closed certain")
        }
        // Whoever was first to say that it leaves has left.
        let own = [Step.client(record(21, [1, 0])), .origin(record(21, [1, 0])), .client([])]
        #expect(try outcome(of: "accepted, 1.2", 2, then: own) == "refused closed-in-handshake inferred")
        #expect(
            try outcome(of: "accepted, 1.2", 2, then: [alert, .client(record(21, [2, 42]))])
                == "refused alert-42 certain")
    }

    @Test("a warning of the origin ends nothing")
    func originWarning() throws {
        let warned = [Step.origin(record(21, [1, 112])), .client([])]
        #expect(try outcome(of: "accepted, 1.2", 2, then: warned) == "refused closed-in-handshake inferred")
    }

    @Test("nor has a client refused whose origin sent an alert behind the handshake, before any data")
    func originAlertBehindFinished() throws {
        let sealedAlert = [UInt8](repeating: 9, count: 26)
        // Before and behind the origin's own Finished.
        for count in [3, 4] {
            let left = [Step.origin(record(21, sealedAlert)), .client(record(21, sealedAlert)), .client([])]
            #expect(try outcome(of: "accepted, 1.2", count, then: left) == "unknown origin-closed certain")
        }
    }
}
