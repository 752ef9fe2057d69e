import ATSPolicy
import Bytes
import Text

/// The part of a record's JSON that many loads share, with a blank wherever one load differs from the next.
///
/// A blank is the byte 1, which never occurs in JSON (RFC 8259 section 7: control characters are always escaped). An
/// entry contains the values of one load for the blanks, in order and separated by the same byte; the first value is
/// the id. Form and entry together are the record's JSON, byte for byte.
public final class RecordForm: Sendable {
    /// UTF-8 text with blanks.
    public let text: [UInt8]
    /// The origin's handshake, complete, unlike in JSON; nil if there was none.
    public let handshake: RecordedHandshake?
    /// Approximate size in memory.
    public var bytes: Int { text.count + blanks.count * 8 + (handshake?.facts?.bytes ?? 0) + 128 }
    /// Indexes of the blanks in `text`.
    private let blanks: [Int]
    private let digest: Int

    public init(text: [UInt8], handshake: RecordedHandshake? = nil) {
        self.text = text
        self.handshake = handshake
        blanks = text.indices.filter { text[$0] == Self.blank }
        var hasher = Hasher()
        // Hashing the array itself would add its bytes one by one.
        text.withUnsafeBytes { hasher.combine(bytes: $0) }
        digest = hasher.finalize()
    }

    /// The number of values in an entry.
    public var blankCount: Int { blanks.count }

    /// Appends the text with its blanks filled from `entry`.
    ///
    /// - Returns: false if values and blanks differ in number; `bytes` is then invalid.
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

    /// The byte between the values of an entry, and in a form the place of a value.
    public static let blank: UInt8 = 1
}

/// Compares forms by text and handshake, not by the parts that they were made of.
extension RecordForm: Hashable {
    public static func == (one: RecordForm, other: RecordForm) -> Bool {
        one === other || (one.digest == other.digest && one.text == other.text && one.handshake == other.handshake)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }
}

/// A cache of forms. Many loads share one, and a chain of certificates costs more to write than all the rest.
struct RecordFormCache: Sendable {
    /// Forms by the addresses of their parts; a later one replaces an earlier one. A hit costs a few comparisons.
    private var places: [CachedForm?] = []
    /// Marks of connections that have had one load without an own slot.
    private var passed: [Int] = []
    /// The form that was added last.
    private var latest: CachedForm?
    /// Forms by content. Every connection has its own parts, most of them equal to others, and equal parts are not
    /// written twice.
    private var equals = WeighedCache<SharedPart, RecordForm>(.forms, limit: 4 << 20, count: formLimit)
    /// Each text once, so that equal forms are one object: each loop has its own policies.
    private var texts = WeighedCache<RecordForm, RecordForm>(.forms, limit: 4 << 20, count: formLimit)
    private let placeBudget = ByteBudget(.forms, limit: 4 << 20)

    /// A form with the part that it was made for.
    private final class CachedForm: Sendable {
        let part: SharedPart
        let form: RecordForm
        /// Includes the origin, which may no longer have another owner.
        let bytes: Int

        init(part: SharedPart, form: RecordForm) {
            self.part = part
            self.form = form
            bytes = form.text.count + part.bytes
        }
    }

    /// The form of `record`.
    mutating func form(of record: LoadRecord) -> RecordForm {
        if places.isEmpty {
            places = Array(repeating: nil, count: placeCount)
            passed = Array(repeating: 0, count: placeCount)
        }
        let mark = SharedPart.mark(of: record)
        let place = mark % placeCount
        if let known = places[place], known.part.isShared(by: record) { return known.form }
        let alike = latest.flatMap { $0.part.isAlike(record) ? $0.form : nil }
        // Many connections carry only one load. A slot is for those that come again. A new connection may reuse the
        // memory, and so the mark, of a closed one.
        if let alike, passed[place] != mark {
            passed[place] = mark
            return alike
        }
        let part = SharedPart(of: record)
        let known = CachedForm(part: part, form: alike ?? equals.value(for: part) ?? writeOut(part))
        put(known, at: place)
        latest = known
        return known.form
    }

    /// Stores a form. Parts of closed connections never come back, so all slots are emptied once they hold too much.
    private mutating func put(_ known: CachedForm, at place: Int) {
        placeBudget.add(-(places[place]?.bytes ?? 0))
        places[place] = nil
        if !placeBudget.hasRoom(for: known.bytes) {
            placeBudget.add(-placeBudget.heldBytes)
            places = Array(repeating: nil, count: placeCount)
        }
        placeBudget.add(known.bytes)
        places[place] = known
    }

    private mutating func writeOut(_ part: SharedPart) -> RecordForm {
        var writer = JSONWriter()
        RecordFields.catalog.form(of: part, to: &writer)
        let new = RecordForm(text: writer.bytes, handshake: part.handshake)
        let form = texts.value(for: new) ?? new
        if form === new { texts.keep(new, for: new, bytes: new.bytes) }
        equals.keep(form, for: part, bytes: form.bytes + part.bytes)
        return form
    }
}

/// More than the connections of a busy gate.
private let placeCount = 1024
private let formLimit = 2048

/// One blank of a form.
public struct FormBlank: Sendable, Hashable {
    /// Keys of the record joined with dots, for example `load.url`. Empty for a field that is left out when it has no
    /// value.
    public let name: String
    /// The part of the same JSON string before the blank, escaped. Empty if the value is not a string, or has no shared
    /// beginning.
    public let beginning: [UInt8]
}

extension RecordForm {
    /// The blanks in order. Read from the form itself, because forms of older versions have other blanks than this
    /// version's.
    public var namedBlanks: [FormBlank] {
        var scan = BlankScan(text: text)
        return scan.blanks()
    }
}

/// Walks over a form: JSON without whitespace between its tokens, except for the blanks.
private struct BlankScan {
    let text: [UInt8]
    private var index = 0
    /// Keys of the enclosing objects.
    private var path: [String] = []
    private var key = ""
    private var isAfterKey = false
    private var found: [FormBlank] = []

    init(text: [UInt8]) {
        self.text = text
    }

    mutating func blanks() -> [FormBlank] {
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""): string()
            case UInt8(ascii: "{"):
                path.append(key)
                isAfterKey = false
            case UInt8(ascii: "}"): _ = path.popLast()
            case UInt8(ascii: ","): isAfterKey = false
            case RecordForm.blank:
                found.append(FormBlank(name: isAfterKey ? name : "", beginning: []))
                isAfterKey = false
            default: break
            }
            index += 1
        }
        return found
    }

    private var name: String { (path.dropFirst() + [key]).joined(separator: ".") }

    /// Reads a key with its colon, or a value.
    private mutating func string() {
        let start = index + 1
        var blanks: [Int] = []
        index = start
        while index < text.count, text[index] != UInt8(ascii: "\"") {
            if text[index] == UInt8(ascii: "\\") { index += 1 }
            if index < text.count, text[index] == RecordForm.blank { blanks.append(index) }
            index += 1
        }
        if !isAfterKey, index + 1 < text.count, text[index + 1] == UInt8(ascii: ":") {
            key = String(decoding: text[start..<index], as: UTF8.self)
            isAfterKey = true
            index += 1
        } else {
            found += blanks.map { FormBlank(name: name, beginning: Array(text[start..<$0])) }
            isAfterKey = false
        }
    }
}

/// The values that one load writes into the blanks of its ``RecordForm``, found in an entry without decoding it.
///
/// A value is JSON; `id` and `load.url` are the inside of a JSON string, or its end. ``RecordForm/namedBlanks`` names
/// the blanks.
public struct EntryValues {
    private let entry: UnsafeBufferPointer<UInt8>
    /// The end of each value.
    private var ends: [Int] = []

    /// - Parameter entry: an entry as stored; must outlive this value.
    public init(_ entry: UnsafeBufferPointer<UInt8>) {
        self.entry = entry
        ends.reserveCapacity(expectedCount)
        for index in entry.indices where entry[index] == RecordForm.blank { ends.append(index) }
        ends.append(entry.count)
    }

    public var count: Int { ends.count }

    /// The value of the blank at `place`; empty if the entry has no such blank.
    public subscript(_ place: Int?) -> UnsafeBufferPointer<UInt8>.SubSequence {
        guard let place, ends.indices.contains(place) else { return entry[..<0] }
        return entry[(place == 0 ? 0 : ends[place - 1] + 1)..<ends[place]]
    }

    /// The value of one blank, found without scanning the rest of the entry.
    public static func value(
        _ place: Int?, of entry: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8>.SubSequence {
        var rest = entry[...]
        guard let place else { return entry[..<0] }
        for _ in 0..<place {
            guard let blank = rest.firstIndex(of: RecordForm.blank) else { return rest[rest.endIndex...] }
            rest = rest[(blank + 1)...]
        }
        return rest[..<(rest.firstIndex(of: RecordForm.blank) ?? rest.endIndex)]
    }
}

/// The approximate number of values in today's records.
private let expectedCount = 24
