import Foundation
import Text

/// Finds URLs in bytes: those of http, https, ws and wss, with a host that a load can have.
///
/// A URL ends at the first byte that no URL contains (RFC 3986). In adjacent strings, its host ends
/// at the next scheme, or at the last known ending of a domain.
struct URLScanner {
    /// The order of strings in the bytes.
    enum Order: Sendable, Hashable {
        /// Text, or strings with an end.
        case separated
        /// Strings without an end, as in binaries of Rust and Go.
        case adjacent
        /// Strings with their length before them, as in Flutter's snapshot of an app.
        case dart
    }

    let order: Order
    /// True if a URL after a space is a part of a sentence. In files of settings, it is a value.
    var readsSentences = true

    /// Calls `body` with each URL that begins before `limit`.
    func scan(_ bytes: [UInt8], before limit: Int? = nil, _ body: (FoundText) -> Void) {
        let bytes = order == .separated ? Self.unescaped(bytes) : bytes
        var place = 0
        while let mark = Self.find(Self.mark, in: bytes, from: place) {
            place = mark + Self.mark.count
            guard mark < limit ?? bytes.count else { return }
            guard var found = url(bytes, at: mark) else { continue }
            found.isProse = readsSentences && Self.isInSentence(bytes, before: mark)
            body(found)
        }
    }

    private func url(_ bytes: [UInt8], at mark: Int) -> FoundText? {
        guard let (scheme, start) = Self.scheme(bytes, before: mark) else { return nil }
        let first = mark + Self.mark.count
        var end = first
        let most = min(bytes.count, first + Self.mostBytes)
        while end < most, Self.isURLByte(bytes[end]) { end += 1 }
        end = bounded(bytes, start, end)
        guard end > first else { return template(bytes, scheme, start, end) }
        let authority = bytes[first..<end].prefix { !Self.endsAuthority.contains($0) }
        let after = authority.endIndex < bytes.count ? bytes[authority.endIndex] : 0
        guard let (host, port) = HostText(order).parts(of: authority, isCutBy: after) else {
            return template(bytes, scheme, start, end)
        }
        return FoundText(scheme: scheme, host: host, port: port, text: Self.text(bytes[start..<end]))
    }

    /// A URL whose host is inserted when the program runs, such as `https://%@/v1` and `https://${host}/v1`.
    private func template(_ bytes: [UInt8], _ scheme: FoundText.Scheme, _ start: Int, _ end: Int) -> FoundText? {
        let first = start + scheme.rawValue.utf8.count + Self.mark.count
        let most = min(bytes.count, first + Self.mostBytes)
        guard let insertion = bytes[first..<most].firstIndex(where: { !HostText.isHostByte($0) }),
            "%${".utf8.contains(bytes[insertion])
        else { return nil }
        var end = max(end, insertion)
        while end < most, Self.isURLByte(bytes[end]) || "{}".utf8.contains(bytes[end]) { end += 1 }
        // `%` alone is an escape of RFC 3986, as in a URL inside of another one.
        let text = Self.text(bytes[start..<end])
        guard !text.contains("%2F"), end > insertion + 1 else { return nil }
        return FoundText(scheme: scheme, host: "", text: text, isTemplate: true)
    }

    /// The scheme that ends before a mark, and its first byte.
    private static func scheme(_ bytes: [UInt8], before mark: Int) -> (FoundText.Scheme, Int)? {
        let word = String(decoding: bytes[max(0, mark - 6)..<mark], as: UTF8.self).lowercased()
        for scheme in [FoundText.Scheme.https, .http] where word.hasSuffix(scheme.rawValue) {
            return (scheme, mark - scheme.rawValue.utf8.count)
        }
        for scheme in [FoundText.Scheme.wss, .ws] where word.hasSuffix(scheme.rawValue) {
            let start = mark - scheme.rawValue.utf8.count
            // `news` and `aws` end like it.
            let isWord = start > 0 && (bytes[start - 1].isASCIILetter || "+.-_".utf8.contains(bytes[start - 1]))
            return isWord ? nil : (scheme, start)
        }
        return nil
    }

    /// True if the scheme that ends before a mark follows a space, maybe with a bracket between them.
    private static func isInSentence(_ bytes: [UInt8], before mark: Int) -> Bool {
        guard let (_, start) = scheme(bytes, before: mark), start > 1 else { return false }
        let last = "(<[".utf8.contains(bytes[start - 1]) ? bytes[start - 2] : bytes[start - 1]
        return [0x20, 0x09, 0x0A, 0x0D].contains(last)
    }

    /// The end of a string that begins at `start`, if its order shows it.
    private func bounded(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Int {
        switch order {
        case .separated: return end
        case .adjacent:
            let next = ["http://", "https://", "ws://", "wss://"].compactMap {
                Self.find(Array($0.utf8), in: bytes, from: start + 8, before: end)
            }
            return next.min() ?? end
        case .dart: return DartString(bytes).length(at: start).map { min(end, start + $0) } ?? end
        }
    }

    /// JSON and JavaScript may escape a slash.
    private static func unescaped(_ bytes: [UInt8]) -> [UInt8] {
        guard find(Array(#":\"#.utf8), in: bytes, from: 0) != nil else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            let isEscape =
                byte == UInt8(ascii: "\\") && index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "/")
            if !isEscape { result.append(byte) }
        }
        return result
    }

    /// The offset of a pattern.
    static func find(_ pattern: [UInt8], in bytes: [UInt8], from start: Int, before end: Int? = nil) -> Int? {
        let end = min(end ?? bytes.count, bytes.count)
        guard start >= 0, start < end else { return nil }
        return bytes.withUnsafeBytes { room -> Int? in
            guard let base = room.baseAddress, let first = pattern.first else { return nil }
            var place = start
            while place <= end - pattern.count, let found = memchr(base + place, Int32(first), end - place) {
                place = base.distance(to: UnsafeRawPointer(found))
                guard place <= end - pattern.count else { return nil }
                if memcmp(base + place, pattern, pattern.count) == 0 { return place }
                place += 1
            }
            return nil
        }
    }

    /// Without punctuation that ends a sentence.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        let end = text.lastIndex { !".,;:!?)]*".contains($0) }
        return end.map { String(text[...$0]) } ?? text
    }

    /// Printable ASCII without the delimiters of RFC 3986 section 2 that end a URL in text, and without quotation marks.
    private static func isURLByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"\"'`<>\\^{}|".utf8.contains(byte)
    }

    private static let mark = Array("://".utf8)
    private static let endsAuthority = Array("/?#(),;!*=&".utf8)
    private static let mostBytes = 4_096
}

/// The length of a string in a snapshot of the Dart virtual machine, read from the bytes before it. Source: GitHub,
/// dart-lang/sdk, runtime/vm/app_snapshot.cc, StringSerializationCluster, and runtime/vm/datastream.h, WriteUnsigned.
struct DartString {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// - Returns: nil if no length precedes the string.
    func length(at start: Int) -> Int? {
        // In the read-only part, an object of 64-bit words has its length as a small integer, which is shifted by one.
        if start >= 8, let word = BinaryNumbers(bytes: Array(bytes[start - 8..<start])).long(0),
            word & 1 == 0, Self.plausible ~= Int(truncatingIfNeeded: word >> 1)
        {
            return Int(word >> 1)
        }
        // In other parts, groups of seven bits, the last one with the highest bit set. The lowest bit marks wide text.
        guard start >= 1, bytes[start - 1] >= 0x80 else { return nil }
        let last = Int(bytes[start - 1] & 0x7F)
        if Self.plausible ~= last >> 1 { return last >> 1 }
        guard start >= 2, bytes[start - 2] < 0x80 else { return nil }
        let length = (last << 7 | Int(bytes[start - 2])) >> 1
        return Self.plausible ~= length ? length : nil
    }

    /// From the shortest URL with a host on.
    private static let plausible = 10...4_096
}

extension UInt8 {
    var isASCIILetter: Bool { 0x41...0x5A ~= self || 0x61...0x7A ~= self }
    var isASCIIDigit: Bool { 0x30...0x39 ~= self }
}
