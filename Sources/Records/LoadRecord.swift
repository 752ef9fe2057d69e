/// One per load. What many loads share (policy, origin, findings) hangs on shared parts, so that making a record
/// on the path of a load costs little; turning it into text happens in the archive, off the loop.
///
/// A value that is one reference: a copy of all members counts 15. Its members are those of ``Members``.
@dynamicMemberLookup
public struct LoadRecord: Sendable {
    /// Version of the record's shape; rises when a key changes its meaning.
    public static let schema = 1

    @usableFromInline var content: Content

    /// The members, to be changed by who holds it alone.
    // Unchecked: a member is loaded, or stored, as a whole, and stored only after `own` has looked that nobody else, on
    // whatever thread, holds the same.
    @usableFromInline final class Content: @unchecked Sendable {
        @exclusivity(unchecked) @usableFromInline var members: Members

        init(_ members: Members) { self.members = members }
    }

    /// What a record says.
    public struct Members: Sendable {
        /// Given by the archive when the record is filed.
        public var id = ""
        /// Milliseconds since 1970-01-01 UTC at which the load began.
        public var time: Int64
        /// Name of the run, from `--recording`.
        public var recording: String
        public var source = RecordSource.gate
        public var client: RecordedClient
        public var load: RecordedRequest
        public var policy: RecordedPolicy
        public var verdict: Verdict
        /// How the refusal was shown to the client, when there was one.
        public var refusal: Refusal?
        /// What the app was made to see; nil where that is what a device alone would report, too.
        public var shown: ShownError?
        /// What the device itself did; nil where only this program was there.
        public var device: RecordedDevice?
        public var origin: RecordedOrigin?
        /// What the law said about this load; nil for a plain pass.
        public var diagnosis: RecordedDiagnosis?
        public var candidates: [CandidateVerdict] = []
        /// HTTP status that the client was given.
        public var status: Int?
        /// Payload bytes from the client towards the origin, and back. For HTTP loads: bodies; for tunnels: all bytes.
        public var bytesSent: Int64 = 0
        public var bytesReceived: Int64 = 0
        public var timing = Timing()
        /// The parent proxy that it went through, as `HOST:PORT`; nil when the origin was dialed.
        public var via: String?
        /// What of the answer was not passed on, for example `alt-svc h3`.
        public var removed: [String] = []
        /// What ``RedactionRules`` masked, for example `load.url.query`; filled in when the record is filed.
        public var masked: [String] = []
    }

    public init(
        time: Int64, recording: String, client: RecordedClient, load: RecordedRequest, policy: RecordedPolicy,
        verdict: Verdict
    ) {
        content = Content(
            Members(time: time, recording: recording, client: client, load: load, policy: policy, verdict: verdict))
    }

    /// A member. Where it is named in the source, the compiler loads and stores it as it would a property.
    public subscript<Value>(dynamicMember member: WritableKeyPath<Members, Value>) -> Value {
        @inlinable @inline(__always) get { content.members[keyPath: member] }
        @inlinable @inline(__always) _modify { yield &own.members[keyPath: member] }
    }

    /// The content, which is this value's alone from here on.
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
    /// An HTTP answer that explains.
    case page
    /// A certificate from an issuer nobody trusts.
    case untrustedLeaf = "untrusted-leaf"
    case alert
    case close
    /// A certificate with the origin's own defect.
    case mirror
}
