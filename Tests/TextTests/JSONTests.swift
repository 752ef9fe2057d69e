import Foundation
import Seeded
import Testing
import Text

@Suite("JSON")
struct JSONTests {
    private func written(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test(
        "quote, backslash and control characters are escaped; everything else stays",
        arguments: [
            ("", #""""#), ("plain", #""plain""#), ("a\"b\\c", #""a\"b\\c""#), ("\n\r\t", #""\n\r\t""#),
            ("\0\u{1}\u{1B}\u{1F}", #""\u0000\u0001\u001b\u001f""#),
            ("\u{7F}\u{E9}\u{1F600}", "\"\u{7F}\u{E9}\u{1F600}\""),
            ("/", #""/""#), ("1234567\"", #""1234567\"""#), ("12345678\n", #""12345678\n""#),
        ])
    func strings(text: String, json: String) {
        #expect(written { $0.text(text) } == json)
        #expect(JSONValue.string(text).text == json)
    }

    @Test(
        "characters that some readers take for a line end are escaped, at any position",
        arguments: [("\u{85}", #"\u0085"#), ("\u{2028}", #"\u2028"#), ("\u{2029}", #"\u2029"#)])
    func lineEnds(end: String, escape: String) throws {
        for place in 0..<18 {
            let before = String(repeating: "x", count: place)
            // Neighbours that begin with the same bytes stay unescaped.
            for after in ["", "y", "\u{A0}\u{A6}\u{E9}\u{2027}\u{202A}\u{20A8}\u{4E00}\u{1F600}yyyyyyyyyyyy\(end)"] {
                let json = JSONValue.string(before + end + after).text
                #expect(json == "\"" + before + escape + after.replacing(end, with: escape) + "\"")
                #expect(json.split(whereSeparator: \.isNewline).count == 1)
                let read = try JSONSerialization.jsonObject(with: Data("[\(json)]".utf8)) as? [String]
                #expect(read == [before + end + after])
                #expect((before + end + after).bytesInJSON == json.utf8.count - 2)
            }
        }
    }

    @Test("every control character is escaped at every position, and reads back unchanged")
    func everyPlace() throws {
        for value in UInt8(0)..<0x80 {
            for place in 0..<18 {
                let text = String(repeating: "x", count: place) + String(Unicode.Scalar(value)) + "yz"
                let json = Data(JSONValue.texts([text]).text.utf8)
                #expect(try JSONSerialization.jsonObject(with: json) as? [String] == [text])
            }
        }
    }

    @Test("random text reads back unchanged")
    func randomText() throws {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<500 {
            let scalars = (0..<Int.random(in: 0...40, using: &random)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...(Bool.random(using: &random) ? 0x7F : 0xFFFF), using: &random))
            }
            let text = String(String.UnicodeScalarView(scalars))
            let json = Data(JSONValue.object([(text, .string(text))]).text.utf8)
            let parsed = try JSONSerialization.jsonObject(with: json) as? [String: String]
            #expect(parsed?.values.first.map { Array($0.unicodeScalars) } == scalars)
        }
    }

    @Test(
        "numbers are written in full",
        arguments: [
            (0, "0"), (7, "7"), (-1, "-1"), (10, "10"), (Int64.max, "\(Int64.max)"), (Int64.min, "\(Int64.min)"),
        ])
    func numbers(value: Int64, json: String) {
        #expect(written { $0.number(value) } == json)
    }

    @Test("a missing value is null, and durations have three decimals")
    func others() {
        #expect(written { $0.milliseconds(nil) } == "null")
        #expect(written { $0.milliseconds(1_234_567) } == "1234.567")
        #expect(written { $0.milliseconds(5) } == "0.005")
        #expect(written { $0.milliseconds(-5) } == "0.000")
        #expect(written { $0.flag(true) } == "true")
        #expect(written { $0.list(["a", "b"]) { $0.text($1) } } == #"["a","b"]"#)
        #expect(written { $0.list([String]()) { $0.text($1) } } == "[]")
    }

    @Test("a value is written on one line, with its members in order")
    func values() {
        let value = JSONValue.object([
            ("b", .array([.null, .flag(false), .number(-3)])), ("a", .text(nil)), ("c", .object([])), ("d", .array([])),
            ("e", .number(nil)), ("f", .text("x")),
        ])
        #expect(value.text == #"{"b":[null,false,-3],"a":null,"c":{},"d":[],"e":null,"f":"x"}"#)
    }
}
