/// One load while its lines come in: a task, or a failure that no task is named with.
final class LoggedLoad {
    /// Why a load without a task is there: what may turn out to be another line's twin.
    enum Kind {
        case task
        case cleartext, handshake, stream, connection, error, diagnostics
    }

    var kind: Kind
    var task: TaskID?
    /// Of all that it took in.
    private(set) var firstLine: Int
    var lastLine: Int
    let process: Int
    let thread: Int
    var time: String?
    var app: String?

    var ruling: PrintedRuling?
    var connection: Connection?
    var status: Int?
    var isAnswered = false
    var isFinished = false
    var summary: Bool?
    var isRefusedByPolicy = false
    var hasCleartextLine = false
    var hasTrustRefusal = false
    var systemTrust: Int?
    var delegateAnswered: Bool?
    var error: LoadError?
    /// The line of the error, to tell it from an answer before it, and the thread that printed it.
    var errorLine = 0
    var errorThread: Int
    var answerLine = 0
    var code: Int?
    var streamCode: Int?
    var streamDomain: Int?
    /// Hosts that lines other than the error's name.
    var namedHost: String?
    var url: PrintedURL?
    /// Two lines name different hosts.
    var hasTwoHosts = false
    /// The twin of NSURLConnection has come.
    var hasTwin = false
    var hasStreamLine = false
    var isRedacted = false
    /// All that is known of it stands in an error whose beginning is missing.
    var isFragment = false
    /// By a connection of which it is not sure that it is its own.
    var likelyScheme: String?
    /// It took in one of several connections.
    var hasLikelyConnection = false
    /// One of several that fitted a load: whether it is the next one's is not sure.
    var isAmbiguous = false
    /// It turned out to be part of another one, of this where it was joined.
    var isMerged = false
    private var successor: LoggedLoad?
    var isHandedOut = false
    var lines = KeptLines()

    init(_ kind: Kind, task: TaskID? = nil, at message: LogMessage) {
        self.kind = kind
        self.task = task
        firstLine = message.line
        lastLine = message.line
        process = message.process
        thread = message.thread
        errorThread = message.thread
        time = message.time
        app = message.app
    }

    func touch(_ message: LogMessage) {
        lastLine = max(lastLine, message.line)
        if time == nil { time = message.time }
        if app == nil { app = message.app }
    }

    /// Nothing that is known of it can still change much.
    var isOver: Bool {
        switch kind {
        case .connection, .cleartext: true
        case .diagnostics where isAnswered: true
        case .task, .handshake, .stream, .error, .diagnostics:
            code != nil || streamCode != nil || isFinished || summary != nil || isRefusedByPolicy
        }
    }

    /// The load that it is a part of now.
    var standing: LoggedLoad {
        var load = self
        while let next = load.successor { load = next }
        return load
    }

    func take(_ error: LoadError, at line: Int) {
        errorLine = max(errorLine, line)
        code = code ?? error.code
        // The inner error's number counts where the outer one has none.
        if streamCode == nil || error.streamDomain == streamDomainTLS {
            streamCode = error.streamCode ?? streamCode
            streamDomain = error.streamDomain ?? streamDomain
        }
        take(error.url)
        if error.hasTwoHosts { hasTwoHosts = true }
        if error.isRedacted { isRedacted = true }
        var merged = error
        merged.issuer = error.issuer ?? self.error?.issuer
        merged.saysPolicy = error.saysPolicy || self.error?.saysPolicy == true
        merged.identity = error.identity ?? self.error?.identity
        self.error = merged
    }

    func take(_ other: PrintedURL?) {
        guard let other else { return }
        if other.isRedacted { isRedacted = true }
        guard let url else {
            self.url = other
            return
        }
        // A whole one counts more than one that is cut, a clear one more than a redacted one.
        if url.isCut, !other.isCut { self.url = other }
        if url.isRedacted, !other.isRedacted, url.host == other.host { self.url = other }
    }

    /// Takes in what another load knew, which is the same one.
    func merge(_ other: LoggedLoad) {
        guard other !== standing, !other.isMerged else { return }
        other.isMerged = true
        other.successor = self
        if other.firstLine < firstLine {
            firstLine = other.firstLine
            time = other.time ?? time
        }
        lastLine = max(lastLine, other.lastLine)
        time = time ?? other.time
        app = app ?? other.app
        status = status ?? other.status
        if other.isAnswered { isAnswered = true }
        answerLine = max(answerLine, other.answerLine)
        if other.isFinished { isFinished = true }
        summary = summary ?? other.summary
        if other.isRefusedByPolicy { isRefusedByPolicy = true }
        if other.hasTwoHosts { hasTwoHosts = true }
        connection = connection ?? other.connection
        if let error = other.error { take(error, at: other.errorLine) }
        code = code ?? other.code
        streamCode = streamCode ?? other.streamCode
        streamDomain = streamDomain ?? other.streamDomain
        namedHost = namedHost ?? other.namedHost
        take(other.url)
        if other.hasCleartextLine { hasCleartextLine = true }
        if other.hasTrustRefusal { hasTrustRefusal = true }
        if other.hasStreamLine { hasStreamLine = true }
        systemTrust = systemTrust ?? other.systemTrust
        if other.isRedacted { isRedacted = true }
        lines.add(other.lines)
    }

    /// Takes in one of several loads that may be the same one: what all of them tell, and no address.
    func mergeUnsure(_ other: LoggedLoad) {
        if other.hasCleartextLine { hasCleartextLine = true }
        if other.connection?.isRefusedByPolicy == true { hasTrustRefusal = true }
        if let connection = other.connection {
            likelyScheme = connection.scheme
            hasLikelyConnection = true
        }
        other.connection = nil
        other.namedHost = nil
        other.url = nil
        other.error = nil
        other.lines = KeptLines()
        merge(other)
    }
}
