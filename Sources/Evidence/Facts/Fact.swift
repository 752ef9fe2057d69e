/// What one message of a log says.
enum Fact {
    case task(TaskID, TaskFact)
    case connection(Int, ConnectionFact)
    /// Without a task and without a number.
    case loose(LooseFact)
}

/// A task's name: `<UUID>.<number>`, as CFNetwork prints it. Two sessions of one process count from 1 both.
struct TaskID: Hashable, Sendable {
    let name: String
}

/// What a line says of a task that it names.
enum TaskFact {
    /// It is there.
    case mentioned
    case ruling(PrintedRuling)
    case usesConnection(Int)
    case answered(status: Int?)
    case finished
    case summary(isSuccess: Bool, status: Int?, connection: Int?)
    /// The load was refused before a connection was made.
    case refusedByPolicy
    case failed(LoadError)
    /// Whether a delegate gave a credential in place of the default handling.
    case delegate(answered: Bool)
}

/// What a line says of a connection that it names by number.
enum ConnectionFact {
    case mentioned
    case startsTLS
    case endpoint(Endpoint)
    case connected(PrintedTLS)
    /// The name that is asked for in the handshake.
    case serverName(String)
    case asksForTrust
    case trustResult(Int)
    case trustRefused(by: TrustJudge, streamCode: Int?)
    /// The rules of ATS, by the TLS library.
    case brokeATS(host: String?)
    case failed(domain: Int, code: Int)
}

/// Who evaluated trust, in the words of the line.
enum TrustJudge: String {
    /// ATS, or the system on its behalf.
    case system
    case strict
    /// What every app is held to.
    case standard = "default"
}

/// What a line says that names neither a task nor a connection.
enum LooseFact {
    /// nil where the system prints no host, as up to iOS 15.
    case cleartextRefused(host: String?)
    /// The system's own evaluation of trust.
    case systemTrust(status: Int)
    /// ATS refused the trust, or which checks of the chain failed.
    case trustNote(isRefusal: Bool)
    /// A failure by its stream code alone; of a handshake several may come for one load.
    case streamFailed(code: Int, isHandshake: Bool)
    /// `HTTP load failed` without a task.
    case loadFailed(LoadError)
    /// The twin that NSURLConnection prints for a task's error.
    case connectionFinished(code: Int)
    /// An error as text: the app's own print, or one whose task was cut away.
    case error(LoadError)
    /// What a block of CFNETWORK_DIAGNOSTICS tells of a URL.
    case diagnostics(Diagnostics)
}

/// A block of `CFNETWORK_DIAGNOSTICS` that ends a load, or goes towards its end.
struct Diagnostics {
    enum Event {
        case failed(LoadError), finished, answered
    }

    let event: Event
    let url: PrintedURL
}

/// The other end of a connection, as the network library prints it.
struct Endpoint {
    /// nil where it is redacted.
    var host: String?
    var isRedacted = false
    /// Its list of properties names TLS; nil where the line was cut before it.
    var hasTLS: Bool?
    var url: PrintedURL?
}

/// The numbers of a ruling line; those that are not printed are nil.
public struct PrintedRuling: Sendable, Hashable {
    /// In the order of the line: `strength`, `tls`, `ct`, `sub`, `sig`, `ciphers`, `bundle`, `builtin`.
    public static let keys = ["strength", "tls", "ct", "sub", "sig", "ciphers", "bundle", "builtin"]
    /// By those keys.
    public internal(set) var values: [String: Int] = [:]

    public subscript(key: String) -> Int? { values[key] }
}

/// What `TLS connected` tells.
public struct PrintedTLS: Sendable, Hashable {
    /// `1.0` to `1.3`.
    public internal(set) var version: String?
    /// IANA name, or the number as printed where the name is not known.
    public internal(set) var cipher: String?
    public internal(set) var group: String?
    public internal(set) var alpn: String?
    public internal(set) var isResumed: Bool?
}
