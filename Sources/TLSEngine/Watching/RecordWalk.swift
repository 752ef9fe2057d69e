import Bytes

/// Finds the records in one side's TLS bytes, including encrypted ones, and keeps none of them. Source: RFC 5246 section
/// 6.2.1, RFC 8446 section 5.1.
struct RecordWalk {
    struct Record: Hashable {
        /// The visible content type: ``data`` for all encrypted records of TLS 1.3.
        let type: UInt8
        /// Bytes after the header.
        let length: Int
        /// The first two of them, or fewer if the record is shorter.
        let start: [UInt8]
    }

    /// True after bytes that are not TLS: later bytes cannot be read.
    private(set) var isBroken = false
    private var header: [UInt8] = []
    private var start: [UInt8] = []
    /// Missing bytes of the record's body.
    private var rest = 0

    /// Reads the next bytes. The result does not depend on how the bytes are split.
    ///
    /// - Parameter found: receives each record whose last byte is among them.
    mutating func read(_ bytes: UnsafeRawBufferPointer, _ found: (Record) -> Void) {
        let view = ByteView(bytes)
        var index = 0
        while index < view.count, !isBroken {
            if header.count < Self.headerBytes {
                header.append(view[index])
                index += 1
                guard header.count == Self.headerBytes else { continue }
                begin()
            } else if start.count < 2 {
                start.append(view[index])
                rest -= 1
                index += 1
            } else {
                let step = min(rest, view.count - index)
                rest -= step
                index += step
            }
            if rest == 0, !isBroken { end(found) }
        }
    }

    private mutating func begin() {
        rest = Int(header[3]) << 8 | Int(header[4])
        isBroken = !(Self.change...Self.data ~= header[0]) || header[1] != 3 || rest > Self.longestRecord
    }

    private mutating func end(_ found: (Record) -> Void) {
        found(Record(type: header[0], length: Int(header[3]) << 8 | Int(header[4]), start: start))
        header.removeAll(keepingCapacity: true)
        start.removeAll(keepingCapacity: true)
    }

    // Content types; RFC 8446 section 5.1.
    static let change: UInt8 = 20
    static let alert: UInt8 = 21
    static let handshake: UInt8 = 22
    static let data: UInt8 = 23
    private static let headerBytes = 5
    /// The longest encrypted record (RFC 5246 section 6.2.3).
    private static let longestRecord = 18_432
}
