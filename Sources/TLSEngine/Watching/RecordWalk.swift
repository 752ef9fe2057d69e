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

/// Infers from record lengths what a TLS 1.3 client sends after the origin's flight: Finished, an alert, or data.
///
/// An encrypted record is as long as its content, one byte for the type, and the tag (RFC 8446 section 5.2). Finished
/// has 4 bytes plus the length of the suite's hash (RFC 8446 section 4.4.4), an alert has 2 (section 6). A shorter
/// record than that is not a Finished. Any record may be padded (RFC 8446 section 5.4); of the observed clients, Java's
/// pads each with 16 bytes.
public struct SealedRecords: Sendable, Hashable {
    public enum State: Sendable, Hashable {
        case nothing
        /// A record too short for a Finished came in its position, or one of an alert's size after early data. It is an
        /// alert unless more follows.
        case alert
        /// Records of other sizes: early data (RFC 8446 section 2.3), or an answer to a certificate request (RFC 8446
        /// section 4.4.2), which some clients send in one record with Finished. Later records may come before or after
        /// Finished.
        case shaking(records: Int)
        case finished
        /// Finished, then a record of an alert's size: close_notify (RFC 8446 section 6.1), or a rejection by the app's
        /// own code.
        case finishedThenAlert
        /// Records of application data.
        case data(records: Int)
    }

    /// The state after the records so far.
    public private(set) var state = State.nothing
    /// The bytes for the type and the tag.
    private let overhead: Int
    private let finishedBytes: Int
    /// The padding of each record, as seen in the record with Finished.
    private var padding = 0
    /// True if early data came. It may contain records of any size, so sizes no longer show where the handshake ends.
    private var hasEarlyData = false

    /// - Parameter suite: the suite that the origin chose.
    public init(suite: UInt16) {
        // TLS_AES_128_CCM_8_SHA256 has a tag of 8 bytes, all others of 16 (RFC 8446 appendix B.4, RFC 6655 section 4);
        // TLS_AES_256_GCM_SHA384 alone has the longer hash.
        overhead = (suite == 0x1305 ? 8 : 16) + 1
        finishedBytes = 4 + (suite == 0x1302 ? 48 : 32)
    }

    /// Records that the client sent data before the origin's answer.
    public mutating func noteEarlyData() {
        hasEarlyData = true
        state = .shaking(records: 1)
    }

    /// Reads the length of the next record.
    ///
    /// - Parameter originSpoke: the origin has sent data since the client's first record.
    public mutating func read(_ length: Int, originSpoke: Bool) {
        switch state {
        case .nothing:
            if !detectFinished(length) {
                state = length < finishedBytes + overhead ? .alert : .shaking(records: 1)
            }
        case .alert where hasEarlyData: state = originSpoke ? .data(records: 1) : .shaking(records: 3)
        case .shaking where hasEarlyData && length == Self.alertBytes + overhead: state = .alert
        case .alert: if !detectFinished(length) { state = .shaking(records: 2) }
        case .shaking(let records):
            guard hasEarlyData || records >= Self.mostBeforeFinished || !detectFinished(length) else { return }
            state = originSpoke ? .data(records: 1) : .shaking(records: records + 1)
        case .finished:
            if isKeyUpdate(length) { return }
            state = length == Self.alertBytes + overhead + padding ? .finishedThenAlert : .data(records: 1)
        // An alert is the last record (RFC 8446 section 6.1), so that record was not an alert.
        case .finishedThenAlert: state = .data(records: 2)
        case .data(let records): if !isKeyUpdate(length) { state = .data(records: records + 1) }
        }
    }

    /// Detects a Finished, alone or after an empty Certificate of 8 bytes in the same record (RFC 8446 sections 4.4.2
    /// and 5.1).
    private mutating func detectFinished(_ length: Int) -> Bool {
        for padding in Self.paddings where [0, 8].contains(length - finishedBytes - overhead - padding) {
            self.padding = padding
            state = .finished
            return true
        }
        return false
    }

    /// A KeyUpdate has a header of 4 bytes and 1 byte of content (RFC 8446 section 4.6.3).
    private func isKeyUpdate(_ length: Int) -> Bool { length == 5 + overhead + padding }

    /// Level and number (RFC 8446 section 6).
    private static let alertBytes = 2
    /// Source: OpenJDK, sun.security.ssl.OutputRecord.t13Encrypt.
    private static let paddings = [0, 16]
    /// Certificate and CertificateVerify, in two pieces each.
    private static let mostBeforeFinished = 4
}

/// Splits one side's unencrypted TLS bytes into records, and handshake records into messages. Source: RFC 5246 section
/// 6.2.1, RFC 8446 section 5.1.
struct ClearRecords {
    enum Piece {
        case message(type: UInt8, body: [UInt8])
        case alert(level: UInt8, number: UInt8)
        case changeOfCipher
        /// An encrypted record.
        case data
    }

    /// The bytes are not TLS, or exceed a limit.
    struct Unreadable: Error {}

    private var wire: [UInt8] = []
    /// The offset in `wire` where the next record begins.
    private var start = 0
    /// Handshake bytes that do not form a whole message yet.
    private var messages: [UInt8] = []
    private var used = 0

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        wire.removeFirst(start)
        start = 0
        wire.append(contentsOf: bytes)
    }

    /// Returns the next complete piece; nil if more bytes are needed.
    mutating func next() throws(Unreadable) -> Piece? {
        while true {
            if let message = try nextMessage() { return message }
            guard let (type, body) = try nextRecord() else { return nil }
            if type == Self.handshake {
                guard !body.isEmpty else { throw Unreadable() }
                messages += body
                continue
            }
            // Other records must not interrupt a message.
            guard messages.isEmpty else { throw Unreadable() }
            switch type {
            case Self.change: return .changeOfCipher
            case Self.data: return .data
            default:
                guard let level = body.first, let number = body.last, body.count == 2 else { throw Unreadable() }
                return .alert(level: level, number: number)
            }
        }
    }

    private mutating func nextMessage() throws(Unreadable) -> Piece? {
        var cursor = WireCursor(messages)
        guard let type = cursor.number(bytes: 1), let length = cursor.number(bytes: 3) else { return nil }
        guard length <= Self.limitBytes else { throw Unreadable() }
        guard let body = cursor.take(length) else { return nil }
        messages.removeFirst(4 + length)
        return .message(type: UInt8(truncatingIfNeeded: type), body: Array(body))
    }

    private mutating func nextRecord() throws(Unreadable) -> (type: UInt8, body: ArraySlice<UInt8>)? {
        var cursor = WireCursor(wire[start...])
        guard let type = cursor.number(bytes: 1) else { return nil }
        guard Int(Self.change)...Int(Self.data) ~= type else { throw Unreadable() }
        guard let major = cursor.number(bytes: 1) else { return nil }
        guard major == 3 else { throw Unreadable() }
        guard cursor.take(1) != nil, let length = cursor.number(bytes: 2) else { return nil }
        guard length <= Self.longestRecord, used + 5 + length <= Self.limitBytes else { throw Unreadable() }
        guard let body = cursor.take(length) else { return nil }
        used += 5 + length
        start += 5 + length
        return (UInt8(truncatingIfNeeded: type), body)
    }

    /// Content types; RFC 8446 section 5.1.
    private static let change: UInt8 = 20
    private static let handshake: UInt8 = 22
    private static let data: UInt8 = 23
    /// Longest body of a record: that of an encrypted one (RFC 5246 section 6.2.3).
    private static let longestRecord = 18_432
    /// Total bytes read. OpenSSL accepts chains of 102,400 (SSL_CTX_set_max_cert_list(3)).
    static let limitBytes = 131_072
}

/// Detects the end of the one handshake that was judged, and of the data that it encrypts, in a conversation of TLS up to
/// 1.2: a second handshake (renegotiation), or bytes that are not TLS. TLS 1.3 has no second handshake (RFC 8446 section
/// 4.1.2).
///
/// Reads the records of both sides from the first watched byte, and keeps none. Each side sends ChangeCipherSpec once,
/// then one handshake record, its Finished (RFC 5246 sections 7.1 and 7.4.9).
public struct SecondHandshakeWatch: Sendable {
    public enum Stop: Sendable, Hashable {
        case handshake
        case noTLS
    }

    private enum Phase {
        case shaking
        case changed
        case finished
        /// The origin refused the handshake: only alerts may follow.
        case refused
    }

    private struct Side {
        var phase: Phase
        /// Bytes read of the record's header.
        var seen = 0
        var type: UInt8 = 0
        /// Missing bytes of the record after its header.
        var rest = 0

        /// Returns the reason why the bytes must not pass; nil if all may pass.
        mutating func stop(in bytes: UnsafeRawBufferPointer) -> Stop? {
            let view = ByteView(bytes)
            var index = 0
            while index < view.count {
                if seen == SecondHandshakeWatch.headerBytes {
                    let step = min(rest, view.count - index)
                    rest -= step
                    index += step
                    if rest == 0 { seen = 0 }
                    continue
                }
                if let stop = readHeader(view[index]) { return stop }
                index += 1
            }
            return nil
        }

        private mutating func readHeader(_ byte: UInt8) -> Stop? {
            defer { seen += 1 }
            switch seen {
            case 0:
                type = byte
                return begin()
            case 1: return byte == 3 ? nil : .noTLS
            case 2: return nil
            case 3:
                rest = Int(byte) << 8
                return nil
            default:
                rest |= Int(byte)
                return rest > SecondHandshakeWatch.longestRecord ? .noTLS : nil
            }
        }

        /// Checks the type of a new record.
        private mutating func begin() -> Stop? {
            switch (phase, type) {
            case (_, RecordWalk.alert), (.shaking, RecordWalk.handshake), (.finished, RecordWalk.data): return nil
            case (.shaking, RecordWalk.change): phase = .changed
            case (.changed, RecordWalk.handshake): phase = .finished
            case (_, RecordWalk.change), (_, RecordWalk.handshake): return .handshake
            default: return .noTLS
            }
            return nil
        }
    }

    private var client: Side
    private var origin: Side

    /// - Parameter isRefused: true if the origin ends the handshake with an alert.
    public init(isRefused: Bool) {
        client = Side(phase: isRefused ? .refused : .shaking)
        origin = client
    }

    /// Returns the reason why the client's next bytes must not pass; nil if they may. A reason is final.
    public mutating func clientSays(_ bytes: UnsafeRawBufferPointer) -> Stop? { client.stop(in: bytes) }

    /// Returns the same for the origin's next bytes.
    public mutating func originSays(_ bytes: UnsafeRawBufferPointer) -> Stop? { origin.stop(in: bytes) }

    private static let headerBytes = 5
    /// The longest encrypted record (RFC 5246 section 6.2.3).
    private static let longestRecord = 18_432
}
