/// Rows on their way into a table, in the format of COPY BINARY: a row's number of values, then each with its type's size.
/// Source: PostgreSQL 15, COPY, "Binary Format".
///
/// Every row has to have as many values as COPY names columns, in their order and of their types; the server refuses
/// others. One piece of memory is used for all of them.
public struct PostgresCopy: ~Copyable {
    private var memory: UnsafeMutableRawBufferPointer
    /// Bytes of it that are written and not sent.
    private var count = 0
    private let connection: PostgresConnection
    /// Rows that were begun.
    public private(set) var rows = 0

    /// What is sent at once, in bytes.
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

    /// Begins a row of so many values. Those before it are sent once they are enough for that.
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

    /// A `timestamptz`, as ``PostgresValue/time(milliseconds:)``.
    public mutating func time(milliseconds: Int64) { int8(PostgresTime.microseconds(of: milliseconds)) }

    public mutating func text(_ value: String) {
        var value = value
        value.withUTF8 { utf8(UnsafeRawBufferPointer($0)) }
    }

    /// A text, or a `bytea`, as its bytes; no text may have U+0000 in it.
    public mutating func utf8(_ value: UnsafeRawBufferPointer) {
        put(Int32(value.count))
        put(value)
    }

    /// Sends all, and says that no more rows come.
    mutating func end() throws(PostgresError) {
        put(Int16(-1))
        try send()
    }

    private mutating func send() throws(PostgresError) {
        try connection.put(UnsafeRawBufferPointer(rebasing: memory[..<count]))
        count = 0
    }

    /// The highest byte first, as all numbers of the protocol.
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
