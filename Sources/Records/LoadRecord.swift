public import ATSPolicy

/// The record of one load. Values that many loads share (policy, origin, findings) are references, so that making a
/// record costs little while the load runs. The archive turns it into text on its own queue.
///
/// The record itself is one reference, because a copy of all members would count 15 of them. Its members are those of
/// ``Members``.
@dynamicMemberLookup
public struct LoadRecord: Sendable {
    /// Version of the record's shape; rises if a key changes its meaning.
    public static let schema = 1

    @usableFromInline var content: Content

    /// The members. Changed only through the record that alone holds them.
    // Unchecked: a member is loaded or stored as a whole. It is stored only after `own` has checked that no other
    // record, on any thread, holds the same content.
    @usableFromInline final class Content: @unchecked Sendable {
        @exclusivity(unchecked) @usableFromInline var members: Members

        init(_ members: Members) { self.members = members }
    }

    /// The members of a record.
    public struct Members: Sendable {
        /// Set by the archive when the record is filed.
        public var id = ""
        /// Start of the load, in milliseconds since 1970-01-01 UTC.
        public var time: Int64
        /// Name of the run, from `--recording`.
        public var recording: String
        public var source = RecordSource.gate
        public var client: RecordedClient
        public var load: RecordedRequest
        public var policy: RecordedPolicy
        public var verdict: Verdict
        /// How the refusal was shown to the client; nil if there was none.
        public var refusal: Refusal?
        /// The error that the app saw; nil if a device alone would report the same.
        public var shown: ShownError?
        /// The outcome on the device itself; nil if only this program saw the load.
        public var device: RecordedDevice?
        public var origin: RecordedOrigin?
        /// The findings about this load; nil if it was allowed without any.
        public var diagnosis: RecordedDiagnosis?
        /// HTTP status that the client received.
        public var status: Int?
        /// Payload bytes from the client to the origin, and back. For HTTP loads: bodies; for tunnels: all bytes.
        public var bytesSent: Int64 = 0
        public var bytesReceived: Int64 = 0
        public var timing = Timing()
        /// The parent proxy that carried the load, as `HOST:PORT`; nil if the origin was dialed directly.
        public var via: String?
        /// Parts of the response that were not passed on, for example `alt-svc h3`.
        public var removed: [String] = []
        /// Fields that ``RedactionRules`` masked, for example `load.url.query`; filled in when the record is filed.
        public var masked: [String] = []
    }

    public init(
        time: Int64, recording: String, client: RecordedClient, load: RecordedRequest, policy: RecordedPolicy,
        verdict: Verdict
    ) {
        content = Content(
            Members(time: time, recording: recording, client: client, load: load, policy: policy, verdict: verdict))
    }

    /// A member. If the source names it, the compiler loads and stores it like a property.
    public subscript<Value>(dynamicMember member: WritableKeyPath<Members, Value>) -> Value {
        @inlinable @inline(__always) get { content.members[keyPath: member] }
        @inlinable @inline(__always) _modify { yield &own.members[keyPath: member] }
    }

    /// The content, copied first if another record shares it.
    @usableFromInline var own: Content {
        @inline(never) mutating get {
            if !isKnownUniquelyReferenced(&content) { content = Content(content.members) }
            return content
        }
    }
}

extension LoadRecord {
    /// The rule that decided; nil if none did.
    public var rule: RuleID? { self.diagnosis?.rule }

    /// True if the load comes only from a device's log or another tool, so that the facts of its handshake are unknown.
    var isLogged: Bool { self.source != .gate }
}

/// How a load ended. Raw values are stored and shown.
public enum Verdict: String, Sendable, Hashable, CaseIterable {
    case allowed, blocked, wouldBlock, failed, outside
}

/// How a refusal was shown to the client. Raw values are stored and shown.
public enum Refusal: String, Sendable, Hashable, CaseIterable {
    /// An HTTP response that explains.
    case page
    /// A certificate from an untrusted issuer.
    case untrustedLeaf = "untrusted-leaf"
    case alert
    case close
    /// A certificate with the origin's own defect.
    case mirror
}

extension RecordedRequest {
    /// The requested URL. For a load without a path (a tunnel, `OPTIONS *`), the origin and `/`.
    public var url: String { target.origin + pathOfURL }

    /// The part of ``url`` after the origin.
    package var pathOfURL: String { Self.pathOfURL(path) }

    /// The part of a URL after the origin, for a recorded path.
    package static func pathOfURL(_ path: String) -> String { path.utf8.first == UInt8(ascii: "/") ? path : "/" }
}

/// Makes record ids that sort by creation time, also across gates whose clocks agree.
///
/// 26 characters of Crockford's base 32, the shape of a ULID: 48 bits of milliseconds, a 32-bit counter within the
/// millisecond, and 48 bits that identify the maker. Clock and randomness are passed in, because Records has neither.
public struct RecordIDMaker: Sendable {
    private let maker: UInt64
    private var lastTime: UInt64 = 0
    private var counter: UInt32 = 0

    /// - Parameter maker: random bits of this process; the lower 48 count.
    public init(maker: UInt64) {
        self.maker = maker & lower48
    }

    /// Returns the next id. A clock that stops or steps back does not break the order.
    ///
    /// - Parameter time: milliseconds since 1970-01-01 UTC.
    public mutating func next(time: Int64) -> String {
        let now = UInt64(clamping: time) & lower48
        if now > lastTime {
            lastTime = now
            counter = 0
        } else {
            let (next, overflowed) = counter.addingReportingOverflow(1)
            counter = next
            if overflowed { lastTime += 1 }
        }
        let id = LoadID(high: lastTime << 16 | UInt64(counter) >> 16, low: UInt64(counter) << 48 | maker)
        return id.description
    }
}

private let lower48: UInt64 = 0xFFFF_FFFF_FFFF

/// One instant on both clocks, for targets that read no clock.
public struct Timestamp: Sendable, Hashable {
    /// Milliseconds since 1970-01-01 UTC.
    public var wall: Int64
    /// Microseconds on a clock that never steps.
    public var ticks: Int64

    public init(wall: Int64, ticks: Int64) {
        self.wall = wall
        self.ticks = ticks
    }

    /// Seconds since 1970-01-01 UTC, as in certificates.
    public var unixSeconds: Int64 { wall / 1_000 }
}

/// How a load reached the gate. Raw values are stored and shown: never rename one, only add.
public enum LoadEntrance: String, Sendable, Hashable, CaseIterable {
    /// Through the HTTP proxy. Records have null for it, and older ones lack the field.
    case proxy
    /// Through the SOCKS5 proxy. Older records have null.
    case socks
    /// The system redirected its connection to a listener.
    case transparent
    /// The system redirected its connection out of a WireGuard tunnel.
    case wireguard
    /// From a command whose whole network is captured.
    case capture

    /// True if the client asked no proxy: the address of its connection is its target.
    public var isRedirected: Bool {
        switch self {
        case .proxy, .socks: false
        case .transparent, .wireguard, .capture: true
        }
    }
}

/// The id of a load as a 128-bit number: a ULID, which sorts as a number as its text does. Source:
/// github.com/ulid/spec.
public struct LoadID: Sendable, Hashable, CustomStringConvertible {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// - Returns: nil if the text is not 26 characters of Crockford's base 32, the first at most 7.
    public init?(_ text: some Collection<UInt8>) {
        guard text.count == length, let first = text.first, first <= UInt8(ascii: "7") else { return nil }
        let values = values
        var (high, low) = (UInt64(0), UInt64(0))
        for character in text {
            let value = values[Int(character)]
            guard value < 32 else { return nil }
            high = high << 5 | low >> 59
            low = low << 5 | UInt64(value)
        }
        (self.high, self.low) = (high, low)
    }

    /// The id as text.
    public var description: String {
        String(unsafeUninitializedCapacity: length) { characters in
            var (high, low) = (high, low)
            for index in (0..<length).reversed() {
                characters[index] = alphabet[Int(low & 0x1F)]
                low = low >> 5 | high << 59
                high >>= 5
            }
            return length
        }
    }
}

/// 26 characters of 5 bits hold 128 bits; the first two bits are always 0.
private let length = 26
/// Crockford's base 32 leaves out I, L, O and U; its order is that of ASCII, so ids sort as text.
private let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
/// The value of each character; 255 for all others.
private let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, character) in alphabet.enumerated() {
        values[Int(character)] = UInt8(value)
    }
    return values
}()
