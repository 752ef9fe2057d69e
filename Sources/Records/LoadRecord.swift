/// One per load. What many loads share (policy, origin, findings) hangs on shared parts, so that making a record
/// on the path of a load costs little; turning it into text happens in the archive, off the loop.
///
/// A value that is one reference: a copy of all members counts 15, and a record is copied 17 times on its way through
/// the sinks.
public struct LoadRecord: Sendable {
    /// Version of the record's shape; rises when a key changes its meaning.
    public static let schema = 1

    @usableFromInline var content: Content

    /// The members, to be changed by who holds it alone.
    // Unchecked: a member is loaded, or stored, as a whole, and stored only after `own` has looked that nobody else, on
    // whatever thread, holds the same.
    @usableFromInline final class Content: @unchecked Sendable {
        @exclusivity(unchecked) @usableFromInline var members: Members

        @usableFromInline init(_ members: Members) { self.members = members }
    }

    @usableFromInline struct Members {
        @usableFromInline var id = ""
        @usableFromInline var time: Int64
        @usableFromInline var recording: String
        @usableFromInline var source = RecordSource.gate
        @usableFromInline var client: RecordedClient
        @usableFromInline var load: RecordedRequest
        @usableFromInline var policy: RecordedPolicy
        @usableFromInline var verdict: Verdict
        @usableFromInline var refusal: Refusal?
        @usableFromInline var shown: ShownError?
        @usableFromInline var device: RecordedDevice?
        @usableFromInline var origin: RecordedOrigin?
        @usableFromInline var diagnosis: RecordedDiagnosis?
        @usableFromInline var candidates: [CandidateVerdict] = []
        @usableFromInline var status: Int?
        @usableFromInline var bytesSent: Int64 = 0
        @usableFromInline var bytesReceived: Int64 = 0
        @usableFromInline var timing = Timing()
        @usableFromInline var via: String?
        @usableFromInline var removed: [String] = []
        @usableFromInline var masked: [String] = []
    }

    public init(
        time: Int64, recording: String, client: RecordedClient, load: RecordedRequest, policy: RecordedPolicy,
        verdict: Verdict
    ) {
        content = Content(
            Members(time: time, recording: recording, client: client, load: load, policy: policy, verdict: verdict))
    }

    /// The content, which is this value's alone from here on.
    @usableFromInline var own: Content {
        mutating get {
            if !isKnownUniquelyReferenced(&content) { content = Content(content.members) }
            return content
        }
    }
}

extension LoadRecord {
    /// Given by the archive when the record is filed.
    public var id: String {
        @inlinable get { content.members.id }
        @inline(never) set { own.members.id = newValue }
    }
    /// Milliseconds since 1970-01-01 UTC at which the load began.
    public var time: Int64 {
        @inlinable get { content.members.time }
        @inline(never) set { own.members.time = newValue }
    }
    /// Name of the run, from `--recording`.
    public var recording: String {
        @inlinable get { content.members.recording }
        @inline(never) set { own.members.recording = newValue }
    }
    public var source: RecordSource {
        @inlinable get { content.members.source }
        @inline(never) set { own.members.source = newValue }
    }
    public var client: RecordedClient {
        @inlinable get { content.members.client }
        @inline(never) set { own.members.client = newValue }
    }
    public var load: RecordedRequest {
        @inlinable get { content.members.load }
        @inline(never) set { own.members.load = newValue }
    }
    public var policy: RecordedPolicy {
        @inlinable get { content.members.policy }
        @inline(never) set { own.members.policy = newValue }
    }
    public var verdict: Verdict {
        @inlinable get { content.members.verdict }
        @inline(never) set { own.members.verdict = newValue }
    }
    /// How the refusal was shown to the client, when there was one.
    public var refusal: Refusal? {
        @inlinable get { content.members.refusal }
        @inline(never) set { own.members.refusal = newValue }
    }
    /// What the app was made to see; nil where that is what a device alone would report, too.
    public var shown: ShownError? {
        @inlinable get { content.members.shown }
        @inline(never) set { own.members.shown = newValue }
    }
    /// What the device itself did; nil where only this program was there.
    public var device: RecordedDevice? {
        @inlinable get { content.members.device }
        @inline(never) set { own.members.device = newValue }
    }
    public var origin: RecordedOrigin? {
        @inlinable get { content.members.origin }
        @inline(never) set { own.members.origin = newValue }
    }
    /// What the law said about this load; nil for a plain pass.
    public var diagnosis: RecordedDiagnosis? {
        @inlinable get { content.members.diagnosis }
        @inline(never) set { own.members.diagnosis = newValue }
    }
    public var candidates: [CandidateVerdict] {
        @inlinable get { content.members.candidates }
        @inline(never) set { own.members.candidates = newValue }
    }
    /// HTTP status that the client was given.
    public var status: Int? {
        @inlinable get { content.members.status }
        @inline(never) set { own.members.status = newValue }
    }
    /// Payload bytes from the client towards the origin, and back. For HTTP loads: bodies; for tunnels: all bytes.
    public var bytesSent: Int64 {
        @inlinable get { content.members.bytesSent }
        @inline(never) set { own.members.bytesSent = newValue }
    }
    public var bytesReceived: Int64 {
        @inlinable get { content.members.bytesReceived }
        @inline(never) set { own.members.bytesReceived = newValue }
    }
    public var timing: Timing {
        @inlinable get { content.members.timing }
        @inline(never) set { own.members.timing = newValue }
    }
    /// The parent proxy that it went through, as `HOST:PORT`; nil when the origin was dialed.
    public var via: String? {
        @inlinable get { content.members.via }
        @inline(never) set { own.members.via = newValue }
    }
    /// What of the answer was not passed on, for example `alt-svc h3`.
    public var removed: [String] {
        @inlinable get { content.members.removed }
        @inline(never) set { own.members.removed = newValue }
    }
    /// What ``RedactionRules`` masked, for example `load.url.query`; filled in when the record is filed.
    public var masked: [String] {
        @inlinable get { content.members.masked }
        @inline(never) set { own.members.masked = newValue }
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
