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

extension FieldBlock {
    /// Reads the field lines of a head or of trailers, each with its CRLF, without the empty line at the end.
    ///
    /// - Parameter lines: the number of lines in `section`, to size the storage.
    /// - Throws: the first error, in the order of the bytes.
    static func read(_ view: ByteView, _ section: Range<Int>, lines: Int) throws(WireError) -> FieldBlock {
        guard !section.isEmpty else { return FieldBlock() }
        var block = FieldBlock()
        var failure: WireError?
        // A stored line is longer by its header, and by a space after the colon if the sender sent none.
        let room = section.count + lines * (FieldRecord.headerBytes + 1)
        block.storage = [UInt8](unsafeUninitializedCapacity: room) { memory, used in
            var reader = FieldLineReader(view, end: section.upperBound, UnsafeMutableRawBufferPointer(memory))
            do throws(WireError) {
                var start = section.lowerBound
                while start < section.upperBound { start = try reader.readLine(at: start) }
                used = reader.memoryWriter.used
                block.known = reader.known
                block.count = reader.count
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return block
    }
}

/// Reads field lines one after the other into records. Source: RFC 9112 section 5.
private struct FieldLineReader {
    let view: ByteView
    /// End of the last line.
    let end: Int
    let names = FieldNameTable.shared
    var memoryWriter: MemoryWriter
    var known: UInt64 = 0
    var count = 0

    init(_ view: ByteView, end: Int, _ room: UnsafeMutableRawBufferPointer) {
        self.view = view
        self.end = end
        memoryWriter = MemoryWriter(room)
    }

    /// Reads one line and returns the start of the next.
    @inline(__always)
    mutating func readLine(at start: Int) throws(WireError) -> Int {
        let colon = view.first(Ascii.colon, from: start, to: end)
        let code = names.code(in: view, at: start, count: colon &- start)
        // A known name is always a token; any other is checked byte by byte.
        if code == FieldRecord.noField { try checkName(start..<colon) }
        var valueStart = colon &+ 1
        while valueStart < end, isBlank(view[valueStart]) { valueStart &+= 1 }
        let lineEnd = view.firstControl(from: min(valueStart, end), to: end)
        guard view.hasLineEnd(at: lineEnd, before: end) else { throw controlError(at: lineEnd, .badFieldValue) }
        var valueEnd = lineEnd
        while valueEnd > valueStart, isBlank(view[valueEnd &- 1]) { valueEnd &-= 1 }
        try put(name: start..<colon, value: valueStart..<valueEnd, lineEnd: lineEnd, code)
        return lineEnd &+ 2
    }

    @inline(__always)
    private mutating func put(
        name: Range<Int>, value: Range<Int>, lineEnd: Int, _ code: UInt8
    ) throws(WireError) {
        guard name.count <= FieldRecord.longestName, value.count <= FieldRecord.longestValue else {
            throw .headTooLarge
        }
        memoryWriter.put(word: FieldRecord.header(nameCount: name.count, valueCount: value.count, code: code))
        if value.lowerBound == name.upperBound &+ 2, view[name.upperBound &+ 1] == Ascii.space,
            value.upperBound == lineEnd
        {
            memoryWriter.put(view.slice(name.lowerBound..<lineEnd &+ 2))
        } else {
            memoryWriter.put(view.slice(name))
            memoryWriter.put(": ")
            memoryWriter.put(view.slice(value))
            memoryWriter.put("\r\n")
        }
        count &+= 1
        known |= FieldRecord.bit(of: code)
    }

    /// Throws if the name before the colon is invalid, or if the line has no colon.
    private func checkName(_ name: Range<Int>) throws(WireError) {
        let stop = view.endOfToken(from: name.lowerBound, to: name.upperBound)
        guard stop == end || stop < name.upperBound || name.isEmpty else { return }
        guard stop < name.upperBound else { throw .badFieldName }
        guard isBlank(view[stop]) else { throw controlError(at: stop, .badFieldName) }
        guard stop > name.lowerBound else { throw .foldedField }
        var next = stop
        while next < name.upperBound, isBlank(view[next]) { next += 1 }
        throw next == name.upperBound && next < end ? .spaceBeforeColon : .badFieldName
    }

    /// Returns the error for the byte at `index`, or `otherwise` if it is neither NUL nor half a line end.
    private func controlError(at index: Int, _ otherwise: WireError) -> WireError {
        HTTPWire.controlError(view, 0..<end, at: index, otherwise: otherwise)
    }
}

/// Returns the error for the control character at `index`.
func controlError(_ view: ByteView, _ rest: Range<Int>, at index: Int, otherwise: WireError) -> WireError {
    guard index < rest.upperBound else { return otherwise }
    switch view[index] {
    case 0: return .nulByte
    case Ascii.carriageReturn where !view.hasLineEnd(at: index, before: rest.upperBound): return .bareCarriageReturn
    default: return otherwise
    }
}

extension FieldBlock {
    /// Appends a trusted field.
    ///
    /// - Returns: false, without a change, if the name is not a token or the value contains a control character.
    @discardableResult
    public mutating func append(_ name: String, _ value: String) -> Bool {
        do {
            try append(untrusted: name, value)
            return true
        } catch {
            return false
        }
    }

    /// Appends a known field, like ``append(_:_:)``.
    @discardableResult
    public mutating func append(_ name: KnownField, _ value: String) -> Bool {
        append("\(name.name)", value)
    }

    /// Appends a field from an untrusted source. Whitespace around the value is dropped.
    ///
    /// - Throws: ``WireError/badFieldName``, ``WireError/badFieldValue`` or ``WireError/nulByte``, without a change.
    public mutating func append(untrusted name: String, _ value: String) throws(WireError) {
        let nameBytes = Array(name.utf8)
        let valueBytes = Array(value.utf8)
        guard !nameBytes.isEmpty, nameBytes.count <= FieldRecord.longestName, nameBytes.allSatisfy(isTokenByte) else {
            throw .badFieldName
        }
        guard !valueBytes.contains(0) else { throw .nulByte }
        guard valueBytes.count <= FieldRecord.longestValue, !valueBytes.contains(where: isControl) else {
            throw .badFieldValue
        }
        appendChecked(nameBytes, valueBytes)
    }

    /// Replaces the first field of this name and drops its repeats, or appends one.
    ///
    /// - Returns: false, without a change, if the value contains a control character.
    @discardableResult
    public mutating func set(_ name: KnownField, _ value: String) -> Bool {
        guard !value.utf8.contains(where: isControl) else { return false }
        guard contains(name) else { return append(name, value) }
        let old = self
        self = FieldBlock()
        var isSet = false
        old.walk { record, view in
            if !record.isField(name) {
                copy(record, from: view)
            } else if !isSet {
                isSet = true
                appendChecked(Array(view.slice(record.name)), Array(value.utf8))
            }
            return true
        }
        return true
    }

    /// Removes every field of this name.
    public mutating func remove(_ name: KnownField) {
        guard contains(name) else { return }
        let old = self
        self = FieldBlock()
        storage.reserveCapacity(old.storage.count)
        old.walk { record, view in
            if !record.isField(name) { copy(record, from: view) }
            return true
        }
    }

    mutating func copy(_ record: FieldRecord, from view: ByteView) {
        storage.append(contentsOf: view.slice(record.start..<record.end))
        count += 1
        known |= record.bit
    }

    mutating func appendChecked(_ name: [UInt8], _ value: [UInt8]) {
        let code = name.withUnsafeBytes { FieldNameTable.shared.code(in: ByteView($0), at: 0, count: $0.count) }
        let trimmed = value.withUnsafeBytes { ByteView($0).trimmed(0..<$0.count) }
        let header = FieldRecord.header(nameCount: name.count, valueCount: trimmed.count, code: code)
        withUnsafeBytes(of: header.littleEndian) { storage.append(contentsOf: $0) }
        storage.append(contentsOf: name)
        storage.append(Ascii.colon)
        storage.append(Ascii.space)
        storage.append(contentsOf: value[trimmed])
        storage.append(Ascii.carriageReturn)
        storage.append(Ascii.lineFeed)
        count += 1
        known |= FieldRecord.bit(of: code)
    }

    /// True if `token` is a member of the comma-separated list in the field's lines, ignoring case.
    ///
    /// Compares whole members, with their parameters. Commas inside quotes separate, too (RFC 9110 section 5.6.1).
    public func contains(_ token: String, in name: KnownField) -> Bool {
        guard contains(name) else { return false }
        var wanted = token
        return wanted.withUTF8 { bytes in
            hasMember(of: name) { view, member in
                equalInAnyCase(view.slice(member), UnsafeRawBufferPointer(bytes))
            }
        }
    }

    /// The members of Connection and Upgrade, empty ones included, beyond the first of each line.
    var furtherOptions: Int {
        guard contains(.connection) || contains(.upgrade) else { return 0 }
        var commas = 0
        walk { record, view in
            guard record.isField(.connection) || record.isField(.upgrade) else { return true }
            for index in record.value where view[index] == Ascii.comma { commas += 1 }
            return true
        }
        return commas
    }

    /// True if the list in the field's lines has a member that `isWanted` accepts. Skips empty members.
    @inline(__always)
    func hasMember(of name: KnownField, where isWanted: (ByteView, Range<Int>) -> Bool) -> Bool {
        var isFound = false
        walk { record, view in
            if record.isField(name) { isFound = hasMember(in: view, record.value, where: isWanted) }
            return !isFound
        }
        return isFound
    }

    private func hasMember(
        in view: ByteView, _ list: Range<Int>, where isWanted: (ByteView, Range<Int>) -> Bool
    ) -> Bool {
        var start = list.lowerBound
        while start < list.upperBound {
            var end = start
            while end < list.upperBound, view[end] != Ascii.comma { end &+= 1 }
            let member = view.trimmed(start..<end)
            if !member.isEmpty, isWanted(view, member) { return true }
            start = end &+ 1
        }
        return false
    }
}

/// True if both are the same ASCII text, ignoring case.
func equalInAnyCase(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { lowercased($0) == lowercased($1) }
}
