import HTTPWire
import Seeded
import Testing

struct MessageReaderTests {
    @Test(arguments: Fixture.all)
    func eventsAreTheSameForEverySplit(fixture: Fixture) {
        let whole = Transcript.of(fixture.bytes, responsesTo: fixture.responsesTo)
        #expect(whole.lines == fixture.expected)
        #expect(whole.error == fixture.error)
        for cut in 0...fixture.bytes.count {
            #expect(Transcript.of(fixture.bytes, pieces: [cut], responsesTo: fixture.responsesTo) == whole)
        }
        let ones = [Int](repeating: 1, count: fixture.bytes.count)
        #expect(Transcript.of(fixture.bytes, pieces: ones, responsesTo: fixture.responsesTo) == whole)
    }

    @Test(arguments: Attack.all)
    func attackGetsItsOneError(attack: Attack) {
        let bytes = wire(attack.text)
        let methods: [Method]? = attack.isResponse ? [.get] : nil
        let whole = Transcript.of(bytes, responsesTo: methods)
        #expect(whole.error == attack.error)
        let ones = [Int](repeating: 1, count: bytes.count)
        #expect(Transcript.of(bytes, pieces: ones, responsesTo: methods) == whole)
        guard bytes.count < 500 else { return }
        for cut in 0...bytes.count { #expect(Transcript.of(bytes, pieces: [cut], responsesTo: methods) == whole) }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func mutatedMessagesGiveTheSameInOnePieceAndByteByByte(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for round in 0..<400 {
            guard let fixture = Fixture.all.randomElement(using: &generator) else { continue }
            var bytes = fixture.bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) { mutate(&bytes, &generator) }
            let whole = Transcript.of(bytes, responsesTo: fixture.responsesTo)
            let ones = [Int](repeating: 1, count: bytes.count)
            #expect(
                Transcript.of(bytes, pieces: ones, responsesTo: fixture.responsesTo) == whole,
                "seed \(seed), round \(round): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
        }
    }

    @Test func errorIsRepeatedByEveryLaterCall() {
        var reader = MessageReader.requests()
        for bytes in [wire("GET / HTTP/1.1||"), wire("GET / HTTP/1.1|Host: a||"), []] {
            let result = bytes.withUnsafeBytes { outcome(of: &reader, $0) }
            #expect(throws: WireError.missingHost) { try result.get() }
        }
        do throws(WireError) {
            _ = try reader.endOfInput()
            Issue.record("the reader has forgotten its error")
        } catch {
            #expect(error == .missingHost)
        }
    }

    @Test func readerIsIdleOnlyBetweenMessages() throws {
        var reader = MessageReader.requests()
        #expect(reader.isIdle)
        let head = wire("POST / HTTP/1.1|Host: a|Content-Length: 1||")
        let start = Array(head[..<4])
        let first = try start.withUnsafeBytes { outcome(of: &reader, $0) }.get()
        #expect(first.consumed == 0)
        #expect(!reader.isIdle)
        let second = try head.withUnsafeBytes { outcome(of: &reader, $0) }.get()
        #expect(second.consumed == head.count)
        #expect(!reader.isIdle)
        let third = try wire("x").withUnsafeBytes { outcome(of: &reader, $0) }.get()
        #expect(third.body == 0..<1)
        #expect(!reader.isIdle)
        let last = try [UInt8]().withUnsafeBytes { outcome(of: &reader, $0) }.get()
        guard case .end? = last.event else {
            Issue.record("the message has not ended")
            return
        }
        #expect(reader.isIdle)
    }

    @Test func skippedPayloadIsNotExpectedAgain() throws {
        var reader = MessageReader.responses()
        let head = wire("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
        #expect(reader.fixedBytesLeft == nil)
        _ = try head.withUnsafeBytes { try reader.next(in: $0) }
        #expect(reader.fixedBytesLeft == 10)
        reader.skipPayload(7)
        #expect(reader.fixedBytesLeft == 3)
        let step = try wire("abcHTTP").withUnsafeBytes { try reader.next(in: $0) }
        #expect(step.body == 0..<3)
        #expect(reader.fixedBytesLeft == nil)
    }

    @Test func largeChunkedBodyComesInPiecesOfTheBytesGiven() {
        let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 0x10000)
        var bytes = wire("POST / HTTP/1.1|Host: a|Transfer-Encoding: chunked||")
        for _ in 0..<16 { bytes += wire("10000|") + chunk + wire("|") }
        bytes += wire("0||")
        let pieces = [Int](repeating: 7_919, count: bytes.count / 7_919)
        let transcript = Transcript.of(bytes, pieces: pieces)
        #expect(transcript.error == nil)
        #expect(transcript.lines.last == "end")
        #expect(transcript.lines.contains { $0.utf8.count == 16 * 0x10000 + 5 })
    }

    @Test func longestLengthAndChunkAreAccepted() {
        let fixed = Transcript.of(wire("POST / HTTP/1.1|Host: a|Content-Length: 9223372036854775807||x"))
        #expect(fixed.error == .bodyCutShort)
        #expect(fixed.lines.last == "body x")
        let chunked = Transcript.of(wire("POST / HTTP/1.1|Host: a|Transfer-Encoding: chunked||7fffffffffffffff|x"))
        #expect(chunked.error == .bodyCutShort)
        #expect(chunked.lines.last == "body x")
    }

    private func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        let telling: [UInt8] = [0, 9, 10, 13, 32, 44, 48, 58, 59, 127, 128, 255]
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[index] = telling.randomElement(using: &generator) ?? 0
        case 1: bytes.insert(telling.randomElement(using: &generator) ?? 0, at: index)
        case 2: bytes.remove(at: index)
        default: bytes.insert(contentsOf: bytes[index..<min(index + 9, bytes.count)], at: index)
        }
    }
}
