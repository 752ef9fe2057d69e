/// Cuts what one side of a TLS conversation says into records, encrypted ones as well, and keeps none of them.
/// Source: RFC 5246 section 6.2.1, RFC 8446 section 5.1.
struct RecordWalk {
    struct Record: Hashable {
        /// Content type: of TLS 1.3 that of the outside, which is ``data`` for all that is encrypted.
        let type: UInt8
        /// Bytes behind the header.
        let length: Int
        /// The first two of them, where there are two.
        let start: [UInt8]
    }

    /// What came was no TLS, so that nothing behind it can be read.
    private(set) var isBroken = false
    private var header: [UInt8] = []
    private var start: [UInt8] = []
    /// Bytes of the record's body that are still to come.
    private var rest = 0

    /// Takes the next bytes, however they are cut.
    ///
    /// - Parameter found: told of each record whose last byte was among them.
    mutating func read(_ bytes: UnsafeRawBufferPointer, _ found: (Record) -> Void) {
        var index = 0
        while index < bytes.count, !isBroken {
            if header.count < Self.headerBytes {
                header.append(bytes[index])
                index += 1
                guard header.count == Self.headerBytes else { continue }
                begin()
            } else if start.count < 2 {
                start.append(bytes[index])
                rest -= 1
                index += 1
            } else {
                let step = min(rest, bytes.count - index)
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
    /// The longest kind (RFC 5246 section 6.2.3).
    private static let longestRecord = 18_432
}
