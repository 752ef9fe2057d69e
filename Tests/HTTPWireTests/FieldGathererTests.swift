import HTTPWire
import Testing

@Suite("fields that arrive one by one")
struct FieldGathererTests {
    private func gather(_ pairs: [(String, String)], into gatherer: inout FieldGatherer) throws {
        for (name, value) in pairs {
            try Array(name.utf8).withUnsafeBytes { name throws in
                try Array(value.utf8).withUnsafeBytes { try gatherer.append(name, $0) }
            }
        }
    }

    private func lines(_ fields: FieldBlock) -> [String] {
        var lines: [String] = []
        fields.forEach { name, value, known in
            let mark = known.map { " (\($0))" } ?? ""
            lines.append("\(String(decoding: name, as: UTF8.self))=\(String(decoding: value, as: UTF8.self))\(mark)")
        }
        return lines
    }

    @Test("fields read back in order, known ones are recognized, and the memory is reused")
    func order() throws {
        var gatherer = FieldGatherer()
        #expect(gatherer.block().isEmpty)
        for round in 0..<3 {
            gatherer.removeAll()
            let value = String(repeating: "v", count: 700 * round)
            try gather([("x", value), ("accept", "*/*"), ("x", ""), ("host", "a:1")], into: &gatherer)
            let block = gatherer.block()
            #expect(lines(block) == ["x=\(value)", "accept=*/* (accept)", "x=", "Host=a:1 (host)"])
            #expect(block.count == 4 && block.contains(.accept) && !block.contains(.cookie))
            #expect(block.value(of: .host) == "a:1")
        }
    }

    @Test("cookie fields are joined at the first one's position, and a Host after them is found")
    func cookies() throws {
        var gatherer = FieldGatherer()
        try gather(
            [
                ("cookie", "a"), ("host", "h.test:443"), ("x", "y"),
                ("cookie", "b=\(String(repeating: "c", count: 2_000))"),
            ],
            into: &gatherer)
        try gather([("cookie", "d"), ("host", "H.TEST:443")], into: &gatherer)
        let cookie = "cookie=a; b=\(String(repeating: "c", count: 2_000)); d (cookie)"
        #expect(lines(gatherer.block()) == [cookie, "Host=h.test:443 (host)", "x=y"])
        #expect(try gatherer.connectTarget() == .authority(host: "h.test", port: 443))
    }

    @Test(
        "an invalid or connection-specific field is refused and not added",
        arguments: [
            ("", "a", WireError.badFieldName), ("a b", "a", .badFieldName), ("connection", "a", .badFieldName),
            ("keep-alive", "a", .badFieldName), ("transfer-encoding", "chunked", .badFieldName),
            ("te", "gzip", .badFieldValue), ("a", "b\r\n", .badFieldValue), ("accept", "\u{0}", .nulByte),
            ("cookie", "\n", .badFieldValue), ("host", "", .badHost), ("host", "a@b", .badHost),
        ])
    func refused(name: String, value: String, expected: WireError) throws {
        var gatherer = FieldGatherer()
        var met: WireError?
        do { try gather([(name, value)], into: &gatherer) } catch { met = error as? WireError }
        #expect(met == expected)
        #expect(gatherer.block().isEmpty)
    }

    @Test("a second Host with another value is refused")
    func hosts() throws {
        var gatherer = FieldGatherer()
        try gather([("host", "a")], into: &gatherer)
        var met: WireError?
        do { try gather([("host", "b")], into: &gatherer) } catch { met = error as? WireError }
        #expect(met == .badHost)
        #expect(lines(gatherer.block()) == ["Host=a (host)"])
        #expect(throws: WireError.badTarget) { try FieldGatherer().connectTarget() }
    }

    @Test(
        "a path is a path or an asterisk",
        arguments: [("/a?b", true), ("*", true), ("", false), ("a", false), ("/ ", false)])
    func paths(text: String, isPath: Bool) {
        let target = Array(text.utf8).withUnsafeBytes { try? RequestTarget(path: $0) }
        #expect(target == (isPath ? (text == "*" ? .asterisk : .path(text)) : nil))
    }
}
