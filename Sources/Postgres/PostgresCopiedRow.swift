/// A row that COPY brings. Valid during the call that gets it.
public final class PostgresCopiedRow: PostgresCells {
    private var base = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Where each value begins, and its length; -1 is NULL.
    private var places: [(begin: Int, length: Int)] = []

    init() {}

    public func bytes(_ column: Int) throws(PostgresError) -> UnsafeRawBufferPointer? {
        guard places.indices.contains(column) else {
            throw .broken("the server sent \(places.count) columns, and \(column) is behind them")
        }
        let place = places[column]
        guard place.length >= 0 else { return nil }
        return UnsafeRawBufferPointer(rebasing: base[place.begin..<place.begin + place.length])
    }

    /// Takes the next row of `bytes`.
    ///
    /// - Returns: where it ends; nil for the mark that stands behind the last row.
    func take(_ bytes: UnsafeRawBufferPointer, from start: Int) throws(PostgresError) -> Int? {
        base = bytes
        places.removeAll(keepingCapacity: true)
        var at = start
        let count = Int(Int16(bigEndian: try Self.load(bytes, &at)))
        guard count >= 0 else {
            guard count == -1 else { throw Self.damaged }
            return nil
        }
        for _ in 0..<count {
            let length = Int(Int32(bigEndian: try Self.load(bytes, &at)))
            guard length >= -1, length <= bytes.count - at else { throw Self.damaged }
            places.append((at, length))
            at += max(0, length)
        }
        return at
    }

    private static func load<Number: FixedWidthInteger>(
        _ bytes: UnsafeRawBufferPointer, _ at: inout Int
    ) throws(PostgresError) -> Number {
        let size = MemoryLayout<Number>.size
        guard bytes.count - at >= size else { throw damaged }
        defer { at += size }
        return bytes.loadUnaligned(fromByteOffset: at, as: Number.self)
    }

    static let damaged = PostgresError.broken("the server's rows are not in the format of COPY BINARY")
}

/// Takes apart what COPY BINARY brings, in pieces of whole rows as servers send them: a head, rows, and a mark behind them.
/// Source: PostgreSQL 15, COPY, "Binary Format"; section 55.2.6.
final class PostgresCopyReader {
    private let row = PostgresCopiedRow()
    private var isBegun = false
    /// Whether the mark behind the last row was seen.
    private(set) var isComplete = false

    private static let signature: [UInt8] = [0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00]

    /// - Returns: false when `body` wants no more.
    func read(
        _ bytes: UnsafeRawBufferPointer, _ body: (PostgresCopiedRow) throws -> Bool
    ) throws -> Bool {
        var at = isBegun ? 0 : try head(bytes)
        isBegun = true
        while at < bytes.count {
            guard !isComplete else { throw PostgresCopiedRow.damaged }
            guard let next = try row.take(bytes, from: at) else {
                isComplete = true
                at += 2
                continue
            }
            at = next
            guard try body(row) else { return false }
        }
        return true
    }

    /// Checks the head: the signature, flags, of which none is known that would matter, and extensions to pass over.
    private func head(_ bytes: UnsafeRawBufferPointer) throws(PostgresError) -> Int {
        let size = Self.signature.count
        guard bytes.count >= size + 8, bytes.prefix(size).elementsEqual(Self.signature) else {
            throw PostgresCopiedRow.damaged
        }
        let flags = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: size, as: UInt32.self))
        let extra = Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: size + 4, as: UInt32.self)))
        // Bits 16 to 31 are what a reader has to know: 16 was for OIDs, which no server since release 12 sends.
        guard flags >> 16 == 0, extra <= bytes.count - size - 8 else { throw PostgresCopiedRow.damaged }
        return size + 8 + extra
    }
}
