import Agents
import Seeded
import Testing

@Suite("lines of a message stream")
struct LineReaderTests {
    @Test("the same lines for every split")
    func splits() {
        let bytes = Array("one\r\n\ntwo\n0123456789\nlast\n".utf8)
        let expected: [LineReader.Line] = [
            .line(Array("one".utf8)), .line(Array("two".utf8)), .tooLong, .line(Array("last".utf8)),
        ]
        for split in 0...bytes.count {
            var reader = LineReader(limit: 8)
            let lines = reader.add(bytes[..<split]) + reader.add(bytes[split...])
            #expect(lines == expected, "split at \(split)")
        }
    }

    @Test("a line of the limit is kept, and one byte more is not")
    func limit() {
        var reader = LineReader(limit: 4)
        #expect(reader.add(Array("1234\n".utf8)) == [.line(Array("1234".utf8))])
        #expect(reader.add(Array("12345\n".utf8)) == [.tooLong])
    }

    @Test("random bytes give lines and answers, and no trap")
    func random() {
        var server = AgentServer(
            AgentServer.Contents(version: "1", instructions: "", tools: [], pages: [], text: { _ in nil }))
        var generator = SeededGenerator(seed: 45)
        let pieces: [[UInt8]] = [
            "{", "}", "[", "]", "\"", ":", ",", "\n", "\"id\"", "\"jsonrpc\":\"2.0\"", "1", "\\u", "\u{FF}",
        ]
        .map { Array($0.utf8) }
        var reader = LineReader(limit: 256)
        for _ in 0..<20_000 {
            let piece =
                Bool.random(using: &generator)
                ? pieces.randomElement(using: &generator) ?? [] : [UInt8.random(in: 0...255, using: &generator)]
            for line in reader.add(piece) {
                if case .line(let bytes) = line { _ = server.receive(bytes) }
            }
        }
    }
}
