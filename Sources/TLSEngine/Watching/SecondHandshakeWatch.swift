/// Tells where in a conversation of TLS up to 1.2 something else than its one handshake and what is encrypted by it begins:
/// another handshake (renegotiation), or no TLS. TLS 1.3 has no second one (RFC 8446 section 4.1.2).
///
/// Both sides are cut into records from the first byte that is watched on; nothing is kept. Each says ChangeCipherSpec once,
/// and then one record of the handshake, its Finished (RFC 5246 sections 7.1 and 7.4.9).
public struct SecondHandshakeWatch: Sendable {
    public enum Stop: Sendable, Hashable {
        case handshake
        case noTLS
    }

    private enum Phase {
        case shaking
        case changed
        case finished
        /// The origin has refused the handshake: nothing but alerts may follow.
        case refused
    }

    private struct Side {
        var phase: Phase
        /// Of the record's header.
        var seen = 0
        var type: UInt8 = 0
        /// Bytes that are still to come of the record behind its header.
        var rest = 0

        /// nil where all of it may pass.
        mutating func stop(in bytes: UnsafeRawBufferPointer) -> Stop? {
            var index = 0
            while index < bytes.count {
                if seen == SecondHandshakeWatch.headerBytes {
                    let step = min(rest, bytes.count - index)
                    rest -= step
                    index += step
                    if rest == 0 { seen = 0 }
                    continue
                }
                if let stop = readHeader(bytes[index]) { return stop }
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

        /// A record of this type begins.
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

    /// - Parameter isRefused: the origin ends the handshake with an alert.
    public init(isRefused: Bool) {
        client = Side(phase: isRefused ? .refused : .shaking)
        origin = client
    }

    /// Looks at what the client says next; nil where it may pass, for good otherwise.
    public mutating func clientSays(_ bytes: UnsafeRawBufferPointer) -> Stop? { client.stop(in: bytes) }

    /// The same of the origin.
    public mutating func originSays(_ bytes: UnsafeRawBufferPointer) -> Stop? { origin.stop(in: bytes) }

    private static let headerBytes = 5
    /// The longest kind (RFC 5246 section 6.2.3).
    private static let longestRecord = 18_432
}
