import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Prints the results of Foundation's functions that use ICU or that the program relies on: one line for each.
///
/// `compare.sh` runs it with the table of `.ci/icu.py` and with the toolchain's own, and compares the results.
/// Functions without ICU tables are included because the program depends on them.
///
///     behaviours              all results
///     behaviours --anywhere   only those that must not depend on the user's language
@main
struct Behaviours {
    static func main() throws {
        let isAnywhere = CommandLine.arguments.dropFirst() == ["--anywhere"]
        for question in questions where !isAnywhere || !question.followsLanguage {
            print("\(question.name): \(try question.answer())")
        }
    }

    static let questions = text + comparisons + times + numbers + addresses + formats + system
}

/// One call of Foundation.
struct Question {
    let name: String
    /// True if the result may differ by the user's language.
    var followsLanguage = false
    let answer: @Sendable () throws -> Any

    init(_ name: String, followsLanguage: Bool = false, _ answer: @escaping @Sendable () throws -> Any) {
        self.name = name
        self.followsLanguage = followsLanguage
        self.answer = answer
    }
}

private let epoch = Date(timeIntervalSince1970: 0)
private let summer = Date(timeIntervalSince1970: 1_790_000_000.123)

private let text = [
    Question("trimmed") { " a b\u{3000}".trimmingCharacters(in: .whitespaces) },
    Question("lower case, capitals") { ["ÄBİ".lowercased(), "straße ab".uppercased(), "ab cd".capitalized] },
    Question("normal forms") {
        let ring = "\u{212B}ﬁ"
        return [
            ring.precomposedStringWithCanonicalMapping, ring.decomposedStringWithCanonicalMapping,
            ring.precomposedStringWithCompatibilityMapping,
        ].map { $0.unicodeScalars.map { String($0.value, radix: 16) } }
    },
    Question("folded") { "Ärger É".folding(options: [.diacriticInsensitive, .caseInsensitive], locale: nil) },
    Question("characters") { "e\u{301}👨‍👩‍👧🇩🇪".map { "\($0)" } },
    Question("lines") { "a\r\nb\u{2028}c\nd".components(separatedBy: .newlines) },
    Question("regular expression") {
        let expression = try NSRegularExpression(pattern: #"\b(\p{Lu}\w+)-(?<n>\d+)"#, options: .caseInsensitive)
        let all = NSRange(location: 0, length: 13)
        return expression.stringByReplacingMatches(in: "Größe-12 b-3x", range: all, withTemplate: "$2")
    },
]

private let comparisons = [
    Question("found") { "abcABC".range(of: "B").map { "\($0)" } ?? "nowhere" },
    Question("found in any case") { "straßeX".range(of: "x", options: .caseInsensitive) != nil },
    Question("found by a pattern") {
        "abbbc".range(of: "b+", options: .regularExpression).map { "\($0)" } ?? "nowhere"
    },
    Question("compared in any case") { "Äb".caseInsensitiveCompare("äB").rawValue },
    Question("compared by number") { "a10".compare("a9", options: .numeric).rawValue },
    Question("sorted as people do", followsLanguage: true) {
        ["b10", "B9", "ä", "a", "Z"].sorted { $0.localizedStandardCompare($1) == .orderedAscending }
    },
]

private let times = [
    Question("a date by itself") { "\(epoch) \(summer.description)" },
    Question("ISO 8601") { ISO8601DateFormatter().string(from: summer) },
    Question("ISO 8601, formatted") {
        [
            epoch.formatted(.iso8601), summer.formatted(.iso8601.year().month().day()),
            summer.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
        ]
    },
    Question("ISO 8601, read") { try Date("2026-11-21T09:00:00Z", strategy: .iso8601).timeIntervalSince1970 },
    Question("a format of one's own") {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "America/New_York")
        formatter.dateFormat = "EEEE d MMMM yyyy HH:mm:ss.SSS zzz"
        return [formatter.string(from: summer), formatter.date(from: formatter.string(from: summer)) as Any]
    },
    Question("a calendar's days") {
        var components = DateComponents()
        components.calendar = Calendar(identifier: .gregorian)
        components.timeZone = TimeZone(identifier: "Europe/Berlin")
        (components.year, components.month, components.day, components.hour) = (2026, 3, 29, 3)
        return components.date?.timeIntervalSince1970 as Any
    },
    Question("time zones") {
        let own = TimeZone.current
        return [
            own.identifier, "\(own.secondsFromGMT(for: summer))",
            "\(TimeZone(secondsFromGMT: 5400)?.identifier ?? "none")",
        ]
    },
    Question("a locale's name", followsLanguage: true) { Locale.current.identifier },
]

private let numbers = [
    Question("formatted by C's rules") { String(format: "%05.2f %@ %d %x", 3.14159, "x" as NSString, 4, 255) },
    Question("in the user's way", followsLanguage: true) {
        [1_234_567.formatted(), (1.5).formatted(.number.precision(.fractionLength(2))), (0.25).formatted(.percent)]
    },
    Question("a formatter of one's own") {
        let formatter = NumberFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.numberStyle = .decimal
        return [formatter.string(from: 1_234_567.5) as Any, formatter.number(from: "12.5") as Any]
    },
    Question("bytes", followsLanguage: true) { 1_234_567.formatted(.byteCount(style: .file)) },
    Question("decimals") {
        [(Decimal(string: "1.5") ?? 0) + 1, NSDecimalNumber(string: "2.25").multiplying(by: 2) as Decimal]
    },
]

private let addresses = [
    Question("a host name in another script") {
        ["https://münchen.de/ä?q=ü", "https://faß.example/", "http://日本語.jp:81/", "https://xn--mnchen-3ya.de"].map {
            URL(string: $0)?.absoluteString ?? "none"
        }
    },
    Question("parts of an address") {
        let parts = URLComponents(string: "https://u:p@bücher.example:8443/a%20b?x=1&y=%C3%A4#f")
        return [parts?.encodedHost as Any, parts?.host as Any, parts?.queryItems as Any, parts?.path as Any]
    },
    Question("percent signs") {
        let allowed = CharacterSet.urlPathAllowed
        return ["a b%20c%C3%A4".removingPercentEncoding, "x ä".addingPercentEncoding(withAllowedCharacters: allowed)]
    },
    Question("paths") { URL(fileURLWithPath: "/a/../b/./c").standardized.path },
]

private let formats = [
    Question("JSON, read") {
        try JSONSerialization.jsonObject(with: Data(#"{"a":[1.5,true,null,"\u00e4"]}"#.utf8))
    },
    Question("JSON, written") { String(decoding: try JSONEncoder().encode(["ä/": [1.5, 2]]), as: UTF8.self) },
    Question("a property list as XML") {
        let text =
            "<plist><dict><key>d</key><date>2020-01-01T00:00:00Z</date><key>ä</key><real>1.5</real></dict></plist>"
        let list = try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil) as? [String: Any]
        return (list ?? [:]).sorted { $0.key < $1.key }
    },
    Question("a property list as bytes") {
        let data = try PropertyListSerialization.data(fromPropertyList: ["k": epoch], format: .binary, options: 0)
        return try PropertyListSerialization.propertyList(from: data, format: nil)
    },
    Question("a property list in UTF-16") {
        let data = "{ a = \"ä\"; }".data(using: .utf16) ?? Data()
        return try PropertyListSerialization.propertyList(from: data, format: nil)
    },
    Question("XML") { XMLParser(data: Data("<a b=\"ä\"><c/></a>".utf8)).parse() },
    Question("text in UTF-16 and Latin-1") {
        let bytes = ["ä€".data(using: .utf16LittleEndian), "ä".data(using: .isoLatin1)].map { $0.map(Array.init) ?? [] }
        return [bytes, String(data: Data([0xE4]), encoding: .isoLatin1) ?? "none"] as [Any]
    },
]

private let system = [
    Question("an error in words") { CocoaError(.fileWriteOutOfSpace).localizedDescription },
    Question("a file that is not there") {
        do { return try String(contentsOfFile: "/nowhere", encoding: .utf8) } catch {
            return error.localizedDescription
        }
    },
    Question("a folder that cannot be made") {
        do {
            try FileManager.default.createDirectory(at: URL(filePath: "/proc/x/y"), withIntermediateDirectories: true)
            return "made"
        } catch {
            return error.localizedDescription
        }
    },
    Question("a child process") {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "exit 3"]
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    },
    Question("a home") { NSHomeDirectory().isEmpty },
    Question("a lock") { NSLock().try() },
    Question("an identity") { UUID().uuidString.count },
]
