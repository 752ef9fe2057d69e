import Bytes

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
