/// The content of one message of a log.
enum Fact {
    case task(TaskID, TaskFact)
    case connection(Int, ConnectionFact)
    /// A fact with neither a task nor a connection number.
    case loose(LooseFact)
}

/// A task's name: `<UUID>.<number>`, as CFNetwork prints it. Each session of a process counts from 1.
struct TaskID: Hashable, Sendable {
    let name: String
}

/// A fact from a line that names a task.
enum TaskFact {
    /// The line contains no other fact.
    case mentioned
    case ruling(PrintedRuling)
    case usesConnection(Int)
    case answered(status: Int?)
    case finished
    case summary(isSuccess: Bool, status: Int?, connection: Int?)
    /// The load was blocked before a connection was made.
    case refusedByPolicy
    case failed(LoadError)
    /// Whether a delegate provided a credential instead of the default handling.
    case delegate(answered: Bool)
}

/// A fact from a line that names a connection by number.
enum ConnectionFact {
    case mentioned
    case startsTLS
    case endpoint(Endpoint)
    case connected(PrintedTLS)
    /// The name in the handshake's SNI.
    case serverName(String)
    case asksForTrust
    case trustResult(Int)
    case trustRefused(by: TrustJudge, streamCode: Int?)
    /// The TLS library reports a violation of the ATS rules.
    case brokeATS(host: String?)
    case failed(domain: Int, code: Int)
}

/// The evaluator of trust, in the words of the line.
enum TrustJudge: String {
    /// ATS, or the system on its behalf.
    case system
    case strict
    /// The evaluation that applies to every app.
    case standard = "default"
}

/// A fact from a line that names neither a task nor a connection.
enum LooseFact {
    /// nil if the system prints no host, as up to iOS 15.
    case cleartextRefused(host: String?)
    /// The system's own evaluation of trust.
    case systemTrust(status: Int)
    /// ATS rejected the trust, or the line lists the failed checks of the chain.
    case trustNote(isRefusal: Bool)
    /// A failure with a stream code only; one load may have several of a handshake.
    case streamFailed(code: Int, isHandshake: Bool)
    /// `HTTP load failed` without a task.
    case loadFailed(LoadError)
    /// The additional line that NSURLConnection prints for a task's error.
    case connectionFinished(code: Int)
    /// An error as text: printed by the app, or one whose task is missing.
    case error(LoadError)
    /// A block of CFNETWORK_DIAGNOSTICS about a URL.
    case diagnostics(Diagnostics)
}

/// A block of `CFNETWORK_DIAGNOSTICS` about the end of a load, or about its answer.
struct Diagnostics {
    enum Event {
        case failed(LoadError), finished, answered
    }

    let event: Event
    let url: PrintedURL
}

/// The remote side of a connection, as the network library prints it.
struct Endpoint {
    /// nil if it is redacted.
    var host: String?
    var isRedacted = false
    /// True if its list of properties contains TLS; nil if the line was cut before it.
    var hasTLS: Bool?
    var url: PrintedURL?
}

/// The numbers of a ruling line; nil for numbers that the line does not contain.
public struct PrintedRuling: Sendable, Hashable {
    /// In the order of the line: `strength`, `tls`, `ct`, `sub`, `sig`, `ciphers`, `bundle`, `builtin`.
    public static let keys = ["strength", "tls", "ct", "sub", "sig", "ciphers", "bundle", "builtin"]
    /// The numbers by key.
    public internal(set) var values: [String: Int] = [:]

    public subscript(key: String) -> Int? { values[key] }
}

/// The facts of a `TLS connected` line.
public struct PrintedTLS: Sendable, Hashable {
    /// `1.0` to `1.3`.
    public internal(set) var version: String?
    /// IANA name, or the printed number if the name is not known.
    public internal(set) var cipher: String?
    public internal(set) var group: String?
    public internal(set) var alpn: String?
    public internal(set) var isResumed: Bool?
}
