import ATSPolicy

/// The part of a record's JSON that many loads share, with a blank wherever one load differs from the next.
///
/// A blank is the byte 1, which JSON has no use for (RFC 8259 section 7: control characters are always escaped). An
/// entry is what one load writes into the blanks, in their order and with the same byte between them; its first value
/// is the id. Form and entry together are the record's JSON, byte for byte.
public final class RecordForm: Sendable {
    /// UTF-8 text with blanks.
    public let text: [UInt8]
    /// The origin's handshake, which JSON tells only a part of; nil where there was none.
    public let handshake: RecordedHandshake?
    /// What it takes in memory, about.
    public var bytes: Int { text.count + blanks.count * 8 + (handshake?.facts?.bytes ?? 0) + 128 }
    /// Where in `text` the blanks are.
    private let blanks: [Int]
    private let digest: Int

    public init(text: [UInt8], handshake: RecordedHandshake? = nil) {
        self.text = text
        self.handshake = handshake
        blanks = text.indices.filter { text[$0] == Self.blank }
        var hasher = Hasher()
        // An array would put its bytes in one by one.
        text.withUnsafeBytes { hasher.combine(bytes: $0) }
        digest = hasher.finalize()
    }

    /// How many values an entry of it has.
    public var blankCount: Int { blanks.count }

    /// Appends the text with its blanks filled from `entry`.
    ///
    /// - Returns: false when there are not as many values as blanks; `bytes` is of no use then.
    public func fill(from entry: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) -> Bool {
        var start = 0
        var values: Slice? = entry[...]
        for blank in blanks {
            guard let rest = values else { return false }
            let end = rest.firstIndex(of: Self.blank)
            bytes.append(contentsOf: text[start..<blank])
            bytes.append(contentsOf: rest[..<(end ?? rest.endIndex)])
            values = end.map { rest[($0 + 1)...] }
            start = blank + 1
        }
        bytes.append(contentsOf: text[start...])
        return values == nil
    }

    /// Between the values of an entry, and in a form where a value goes.
    public static let blank: UInt8 = 1
}

/// Forms of the same text and handshake are the same; which parts they were made of does not matter.
extension RecordForm: Hashable {
    public static func == (one: RecordForm, other: RecordForm) -> Bool {
        one === other || (one.digest == other.digest && one.text == other.text && one.handshake == other.handshake)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }
}
