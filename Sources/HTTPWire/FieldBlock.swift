import Bytes

/// Header or trailer fields with their order, case and repeats. Names and values are checked once, when they are added.
///
/// One allocation holds the whole block. Each field is a record: eight bytes of sizes, then its line, `Name: value` and
/// CRLF, so that writing a field is one copy. Values have no whitespace at their ends.
public struct FieldBlock: Sendable {
    /// The records, back to back.
    var storage: [UInt8] = []
    /// Bits of the known fields in the block.
    var known: UInt64 = 0
    public internal(set) var count = 0

    public init() {}

    public var isEmpty: Bool { count == 0 }

    /// True if the block has the field. Tests one bit.
    public func contains(_ name: KnownField) -> Bool { known & name.bit != 0 }

    /// Returns the first value. Invalid UTF-8 becomes U+FFFD.
    public func value(of name: KnownField) -> String? {
        guard contains(name) else { return nil }
        return firstText { record, _ in record.isField(name) }
    }

    /// Returns the first value of any field, ignoring the case of its name.
    public func value(named name: String) -> String? {
        firstText { record, view in
            record.nameCount == name.utf8.count
                && zip(record.name, name.utf8).allSatisfy { lowercased(view[$0]) == lowercased($1) }
        }
    }

    /// Returns all values in order, one per line; lists are not split.
    public func values(of name: KnownField) -> [String] {
        guard contains(name) else { return [] }
        var values: [String] = []
        walk { record, view in
            if record.isField(name) { values.append(String(decoding: view.slice(record.value), as: UTF8.self)) }
            return true
        }
        return values
    }

    /// Returns the number of lines of the field.
    public func count(of name: KnownField) -> Int {
        guard contains(name) else { return 0 }
        var lines = 0
        walk { record, _ in
            if record.isField(name) { lines += 1 }
            return true
        }
        return lines
    }

    /// Calls `body` with each name and value as raw bytes, in order. They are valid only during the call.
    public func forEach(_ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer, KnownField?) -> Void) {
        walk { record, view in
            body(view.slice(record.name), view.slice(record.value), record.field)
            return true
        }
    }

    /// Calls `body` with each record until it returns false.
    @inline(__always)
    func walk(_ body: (FieldRecord, ByteView) -> Bool) {
        storage.withUnsafeBytes { bytes in
            let view = ByteView(bytes)
            var offset = 0
            while offset < view.count {
                let record = FieldRecord(in: view, at: offset)
                guard body(record, view) else { return }
                offset = record.end
            }
        }
    }

    private func firstText(where isWanted: (FieldRecord, ByteView) -> Bool) -> String? {
        var text: String?
        walk { record, view in
            guard isWanted(record, view) else { return true }
            text = String(decoding: view.slice(record.value), as: UTF8.self)
            return false
        }
        return text
    }
}

/// The position of one field in the storage of its block.
struct FieldRecord {
    let start: Int
    let nameCount: Int
    let valueCount: Int
    /// Raw value of the known field, or `noField`.
    let code: UInt8

    /// Reads the record that begins at `offset`.
    @inline(__always)
    init(in view: ByteView, at offset: Int) {
        let header = view.word(at: offset)
        start = offset
        valueCount = Int(truncatingIfNeeded: header & 0xFFFF_FFFF)
        nameCount = Int(truncatingIfNeeded: (header >> 32) & 0xFF_FFFF)
        code = UInt8(truncatingIfNeeded: header >> 56)
    }

    var field: KnownField? { KnownField(rawValue: code) }

    /// The field's bit in masks.
    var bit: UInt64 { Self.bit(of: code) }

    @inline(__always)
    func isField(_ field: KnownField) -> Bool { code == field.rawValue }

    /// Name, colon, space, value and CRLF.
    var line: Range<Int> { (start &+ Self.headerBytes)..<end }
    var name: Range<Int> { (start &+ Self.headerBytes)..<(start &+ Self.headerBytes &+ nameCount) }
    var value: Range<Int> { (end &- 2 &- valueCount)..<(end &- 2) }
    var end: Int { start &+ Self.headerBytes &+ nameCount &+ valueCount &+ Self.punctuationBytes }

    /// The eight bytes before a line: 32 bits value size, 24 bits name size, 8 bits field.
    @inline(__always)
    static func header(nameCount: Int, valueCount: Int, code: UInt8) -> UInt64 {
        UInt64(truncatingIfNeeded: valueCount) | UInt64(truncatingIfNeeded: nameCount) &<< 32 | UInt64(code) &<< 56
    }

    /// The bit of a field in masks; bit 63, which no known field has, for unknown fields.
    @inline(__always)
    static func bit(of code: UInt8) -> UInt64 { 1 &<< UInt64(code) }

    static let noField: UInt8 = 0xFF
    static let headerBytes = 8
    /// Colon, space, CR and LF.
    static let punctuationBytes = 4
    static let longestName = 0xFF_FFFF
    static let longestValue = 0xFFFF_FFFF
}
