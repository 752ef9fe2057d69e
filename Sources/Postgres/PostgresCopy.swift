/// Rows for a table in the format of COPY BINARY: each row's number of values, then each value with its size. Source:
/// PostgreSQL 15, COPY, "Binary Format".
///
/// Every row must have a value for each column of COPY, in the same order and of the same types; the server rejects
/// others. All rows use one buffer.
public struct PostgresCopy: ~Copyable {
    private var memory: UnsafeMutableRawBufferPointer
    /// Bytes of the buffer that are not sent yet.
    private var count = 0
    private let connection: PostgresConnection
    /// Rows that were started.
    public private(set) var rows = 0

    /// The size of a piece that is sent, in bytes.
    private static let chunk = 64 << 10

    init(on connection: PostgresConnection) {
        self.connection = connection
        memory = .allocate(byteCount: 2 * Self.chunk, alignment: 8)
        // The signature; no flags; no extension.
        let signature: [UInt8] = [0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00]
        signature.withUnsafeBytes { put($0) }
        put(Int64(0))
    }

    deinit { memory.deallocate() }

    /// Starts a row with this number of values. Sends the earlier rows once they fill a piece.
    public mutating func row(_ values: Int) throws(PostgresError) {
        if count >= Self.chunk { try send() }
        put(Int16(values))
        rows += 1
    }

    public mutating func null() { put(Int32(-1)) }

    public mutating func int8(_ value: Int64) {
        put(Int32(8))
        put(value)
    }

    public mutating func uuid(_ value: PostgresUUID) {
        put(Int32(16))
        put(value.high)
        put(value.low)
    }

    /// Appends a `timestamptz`, like ``PostgresValue/time(milliseconds:)``.
    public mutating func time(milliseconds: Int64) { int8(PostgresTime.microseconds(of: milliseconds)) }

    public mutating func text(_ value: String) {
        var value = value
        value.withUTF8 { utf8(UnsafeRawBufferPointer($0)) }
    }

    /// Appends a text or a `bytea` as bytes; a text must not contain U+0000.
    public mutating func utf8(_ value: UnsafeRawBufferPointer) {
        put(Int32(value.count))
        put(value)
    }

    /// Sends the rest and the end marker.
    mutating func end() throws(PostgresError) {
        put(Int16(-1))
        try send()
    }

    private mutating func send() throws(PostgresError) {
        try connection.put(UnsafeRawBufferPointer(rebasing: memory[..<count]))
        count = 0
    }

    /// Appends a number, highest byte first, like all numbers of the protocol.
    private mutating func put<Number: FixedWidthInteger>(_ number: Number) {
        reserve(MemoryLayout<Number>.size)
        memory.storeBytes(of: number.bigEndian, toByteOffset: count, as: Number.self)
        count += MemoryLayout<Number>.size
    }

    private mutating func put(_ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if memory.count - count < more { grow(by: more) }
    }

    private mutating func grow(by more: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(memory.count * 2, count + more), alignment: 8)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
        memory.deallocate()
        memory = larger
    }
}
