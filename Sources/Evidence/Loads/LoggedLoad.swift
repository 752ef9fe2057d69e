/// One load while its lines are read: a task, or a failure without a named task.
final class LoggedLoad {
    /// The origin of a load, which determines the lines that may duplicate it.
    enum Kind {
        case task
        case cleartext, handshake, stream, connection, error, diagnostics
    }

    var kind: Kind
    var task: TaskID?
    /// The first line of all its parts.
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
    /// The line of the error, to compare with that of the answer, and the thread that printed it.
    var errorLine = 0
    var errorThread: Int
    var answerLine = 0
    var code: Int?
    /// The domain of the code if it is not NSURLErrorDomain.
    var codeDomain: String?
    var streamCode: Int?
    var streamDomain: Int?
    /// Host that a line other than the error names.
    var namedHost: String?
    var url: PrintedURL?
    /// True if two lines name different hosts.
    var hasTwoHosts = false
    /// True if NSURLConnection's additional line was read.
    var hasTwin = false
    var hasStreamLine = false
    var isRedacted = false
    /// True if the load is known only from an error whose beginning is missing.
    var isFragment = false
    /// Scheme of a connection that is only likely to be the load's own.
    var likelyScheme: String?
    /// True if it was joined with one of several possible connections.
    var hasLikelyConnection = false
    /// True if it was one of several that matched a load, so that a later match is uncertain.
    var isAmbiguous = false
    /// True if it became a part of another load, its successor.
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

    /// True if further lines can hardly change the result.
    var isOver: Bool {
        switch kind {
        case .connection, .cleartext: true
        case .diagnostics where isAnswered: true
        case .task, .handshake, .stream, .error, .diagnostics:
            code != nil || streamCode != nil || isFinished || summary != nil || isRefusedByPolicy
        }
    }

    /// The load that it is now a part of; else itself.
    var standing: LoggedLoad {
        var load = self
        while let next = load.successor { load = next }
        return load
    }

    func take(_ error: LoadError, at line: Int) {
        errorLine = max(errorLine, line)
        if code == nil { (code, codeDomain) = (error.code, error.domain) }
        // A line may show the number without its domain.
        if code == error.code { codeDomain = codeDomain ?? error.domain }
        // The inner error's code is used if the outer one has none.
        if streamCode == nil || error.streamDomain == streamDomainTLS {
            streamCode = error.streamCode ?? streamCode
            streamDomain = error.streamDomain ?? streamDomain
        }
        take(error.url)
        if error.hasTwoHosts { hasTwoHosts = true }
        if error.isRedacted { isRedacted = true }
        var merged = error
        merged.issuer = error.issuer ?? self.error?.issuer
        merged.statesPolicy = error.statesPolicy || self.error?.statesPolicy == true
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
        // A complete URL is better than one that is cut, a clear one better than a redacted one.
        if url.isCut, !other.isCut { self.url = other }
        if url.isRedacted, !other.isRedacted, url.host == other.host { self.url = other }
    }

    /// Adds the facts of another load that proved to be the same one.
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
        if code == nil { (code, codeDomain) = (other.code, other.codeDomain) }
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

    /// Adds the facts that several candidate loads share, without an address.
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
