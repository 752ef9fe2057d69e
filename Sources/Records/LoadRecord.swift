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
