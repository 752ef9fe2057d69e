/// Rows on their way into a table, in the format of COPY BINARY: a row's number of values, then each with its type's size.
/// Source: PostgreSQL 15, COPY, "Binary Format".
///
/// Every row has to have as many values as COPY names columns, in their order and of their types; the server refuses
/// others. One piece of memory is used for all of them.
public struct PostgresCopy {
    private var bytes: [UInt8] = []
    private let connection: PostgresConnection
    /// Rows that were begun.
    public private(set) var rows = 0

    /// What is sent at once, in bytes.
    private static let chunk = 64 << 10

    init(on connection: PostgresConnection) {
        self.connection = connection
        bytes.reserveCapacity(2 * Self.chunk)
        // The signature; no flags; no extension.
        bytes.append(contentsOf: [0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00])
        bytes.append(number: Int64(0))
    }

    /// Begins a row of so many values. Those before it are sent once they are enough for that.
    public mutating func row(_ values: Int) throws(PostgresError) {
        if bytes.count >= Self.chunk { try send() }
        bytes.append(number: Int16(values))
        rows += 1
    }

    public mutating func null() { bytes.append(number: Int32(-1)) }

    public mutating func int8(_ value: Int64) {
        bytes.append(number: Int32(8))
        bytes.append(number: value)
    }

    public mutating func uuid(_ value: PostgresUUID) {
        bytes.append(number: Int32(16))
        bytes.append(uuid: value)
    }

    /// A `timestamptz`, as ``PostgresValue/time(milliseconds:)``.
    public mutating func time(milliseconds: Int64) { int8(PostgresTime.microseconds(of: milliseconds)) }

    public mutating func text(_ value: String) {
        var value = value
        value.withUTF8 { utf8(UnsafeRawBufferPointer($0)) }
    }

    /// A text, or a `bytea`, as its bytes; no text may have U+0000 in it.
    public mutating func utf8(_ value: UnsafeRawBufferPointer) {
        bytes.append(number: Int32(value.count))
        bytes.append(contentsOf: value)
    }

    /// Sends all, and says that no more rows come.
    mutating func end() throws(PostgresError) {
        bytes.append(number: Int16(-1))
        try send()
    }

    private mutating func send() throws(PostgresError) {
        try connection.put(bytes)
        bytes.removeAll(keepingCapacity: true)
    }
}
