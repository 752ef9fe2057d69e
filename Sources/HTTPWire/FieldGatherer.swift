import Bytes

/// Collects the fields of one HTTP/2 message after the other, as a decoder delivers them. Reuses its memory; a finished
/// block is one allocation.
///
/// Rejects fields that HTTP/2 forbids (RFC 9113 section 8.2.2). Merges `:authority` and Host into one line (RFC 9113
/// section 8.3.1), and joins the pieces of a cookie (RFC 9113 section 8.2.3).
public struct FieldGatherer: ~Copyable {
    private var room = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var used = 0
    private var known: UInt64 = 0
    private var count = 0
    /// The value of Host in `room`.
    private var host = 0..<0
    /// Start of the Cookie record in `room`.
    private var cookie: Int?

    public init() {}

    deinit { room.deallocate() }

    /// Starts a new message.
    public mutating func removeAll() {
        used = 0
        known = 0
        count = 0
        host = 0..<0
        cookie = nil
    }

    /// Appends a field, except that a further piece of Cookie joins the first.
    ///
    /// - Throws: ``WireError/badFieldName``, ``WireError/badFieldValue`` or ``WireError/nulByte`` for invalid bytes, a
    ///   capital letter in a name, whitespace around a value (RFC 9113 section 8.2.1), or a connection-specific field;
    ///   ``WireError/badHost`` as in ``appendHost(_:)``.
    public mutating func append(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(WireError) {
        let view = ByteView(name)
        guard view.firstCapital(from: 0, to: view.count) == view.count else { throw .badFieldName }
        let code = FieldNameTable.shared.code(in: view, at: 0, count: view.count)
        switch KnownField(rawValue: code) {
        case .none:
            guard view.count > 0, view.count <= FieldRecord.longestName,
                view.endOfToken(from: 0, to: view.count) == view.count
            else { throw .badFieldName }
        case .host: return try appendHost(value)
        case .connection, .keepAlive, .proxyConnection, .transferEncoding, .upgrade: throw .badFieldName
        case .te:
            let te = ByteView(value)
            guard te.matches("trailers", at: 0, count: te.count) else { throw .badFieldValue }
        case .cookie:
            try check(value)
            if let cookie { return join(value, at: cookie) }
            cookie = used
            return put(name, value, code)
        default: break
        }
        try check(value)
        put(name, value, code)
    }

    /// Appends Host unless it exists already; a second one must be equal.
    ///
    /// - Throws: ``WireError/badHost`` if it differs, or is not a host with an optional port.
    public mutating func appendHost(_ value: UnsafeRawBufferPointer) throws(WireError) {
        let view = ByteView(value)
        if known & KnownField.host.bit != 0 {
            guard equalInAnyCase(UnsafeRawBufferPointer(rebasing: room[host]), value) else { throw .badHost }
            return
        }
        guard view.authority(whole: 0..<view.count) != nil else { throw .badHost }
        let name = KnownField.host.name
        put(
            UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount), value,
            KnownField.host.rawValue)
        host = (used - 2 - view.count)..<(used - 2)
    }

    /// Returns the target of CONNECT: the appended Host, which needs a port (RFC 9113 section 8.5).
    ///
    /// - Throws: ``WireError/badTarget``.
    public func connectTarget() throws(WireError) -> RequestTarget {
        let view = ByteView(UnsafeRawBufferPointer(room))
        return try RequestTarget.read(view, host, for: .connect)
    }

    /// Returns the fields since the last ``removeAll()``.
    public func block() -> FieldBlock {
        var block = FieldBlock()
        guard count > 0 else { return block }
        block.storage = [UInt8](UnsafeRawBufferPointer(rebasing: room[..<used]))
        block.known = known
        block.count = count
        return block
    }

    private func check(_ value: UnsafeRawBufferPointer) throws(WireError) {
        let view = ByteView(value)
        let stop = view.firstControl(from: 0, to: view.count)
        guard stop == view.count else { throw view[stop] == 0 ? .nulByte : .badFieldValue }
        guard view.count <= FieldRecord.longestValue, view.trimmed(0..<view.count).count == view.count else {
            throw .badFieldValue
        }
    }

    private mutating func put(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ code: UInt8) {
        let size = FieldRecord.headerBytes + name.count + value.count + FieldRecord.punctuationBytes
        reserve(size)
        var memoryWriter = MemoryWriter(UnsafeMutableRawBufferPointer(rebasing: room[used..<(used + size)]))
        memoryWriter.put(word: FieldRecord.header(nameCount: name.count, valueCount: value.count, code: code))
        memoryWriter.put(name)
        memoryWriter.put(": ")
        memoryWriter.put(value)
        memoryWriter.put("\r\n")
        used += size
        count += 1
        known |= FieldRecord.bit(of: code)
    }

    /// Extends the record at `start` by `; ` and one more piece, and moves the records after it.
    private mutating func join(_ piece: UnsafeRawBufferPointer, at start: Int) {
        let added = piece.count + 2
        reserve(added)
        let record = FieldRecord(in: ByteView(UnsafeRawBufferPointer(rebasing: room[..<used])), at: start)
        let valueEnd = record.end - 2
        UnsafeMutableRawBufferPointer(rebasing: room[(valueEnd + added)..<(used + added)])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: room[valueEnd..<used]))
        var memoryWriter = MemoryWriter(UnsafeMutableRawBufferPointer(rebasing: room[valueEnd..<(valueEnd + added)]))
        memoryWriter.put("; ")
        memoryWriter.put(piece)
        var header = MemoryWriter(
            UnsafeMutableRawBufferPointer(rebasing: room[start..<(start + FieldRecord.headerBytes)]))
        header.put(
            word: FieldRecord.header(
                nameCount: record.nameCount, valueCount: record.valueCount + added, code: record.code))
        if host.lowerBound > start { host = (host.lowerBound + added)..<(host.upperBound + added) }
        used += added
    }

    private mutating func reserve(_ more: Int) {
        guard room.count - used < more else { return }
        var size = max(room.count, Self.firstBytes)
        while size - used < more { size *= 2 }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: room[..<used]))
        room.deallocate()
        room = larger
    }

    /// Bytes of the first allocation: enough for the head of an ordinary message.
    private static let firstBytes = 1_024
}
