/// The smallest changes that would make a refused load pass.
public struct Remedy: Sendable, Hashable {
    public var advice: [Advice]
    /// The entry to add under `NSExceptionDomains`, if one can help.
    public var exception: ExceptionFix?

    public init(_ advice: [Advice], exception: ExceptionFix? = nil) {
        self.advice = advice
        self.exception = exception
    }

    /// - Parameter server: what to change on the server, one sentence each.
    public init(server: [String], exception: ExceptionFix? = nil) {
        self.init(server.map { .server($0) }, exception: exception)
    }

    /// The same with its sentences changed.
    public func with(_ change: (String) -> String) -> Remedy {
        Remedy(advice.map { $0.with(change) }, exception: exception)
    }

    /// All advice, as records have it.
    public var sentences: [String] { advice.map(\.sentence) }
}

/// What to do about a refused load, or why something would not help; each a whole sentence.
public enum Advice: Sendable, Hashable {
    /// What to change on the server.
    case server(String)
    /// Why no key of a dictionary helps.
    case noKey(String)
    /// Why no entry of `NSExceptionDomains` helps.
    case noException(String)

    /// - Parameters:
    ///   - reason: ends the sentence, full stop included.
    ///   - system: where it is so; nil for everywhere.
    static func noKeyHelps(because reason: String, on system: String? = nil) -> Advice {
        .noKey(noKeyBeginning + (system.map { " on \($0): " } ?? ": ") + reason)
    }

    static func noExceptionHelps(because reason: String) -> Advice {
        .noException("\(noExceptionBeginning): \(reason)")
    }

    public var sentence: String {
        switch self {
        case .server(let sentence), .noKey(let sentence), .noException(let sentence): sentence
        }
    }

    /// What a key does not do is no advice for a server.
    public var isForServer: Bool {
        switch self {
        case .server: true
        case .noKey, .noException: false
        }
    }

    /// Why, where it says why not, as the end of a sentence: without what all of them begin with.
    public var reason: String? {
        switch self {
        case .server: nil
        case .noKey(let sentence): Self.end(of: sentence, after: Self.noKeyBeginning)
        case .noException(let sentence): Self.end(of: sentence, after: Self.noExceptionBeginning)
        }
    }

    /// Reads advice back from a record, which keeps sentences and nothing else.
    public init(recorded sentence: String) {
        if sentence.hasPrefix(Self.noKeyBeginning) {
            self = .noKey(sentence)
        } else if sentence.hasPrefix(Self.noExceptionBeginning) {
            self = .noException(sentence)
        } else {
            self = .server(sentence)
        }
    }

    /// The same with its sentence changed.
    public func with(_ change: (String) -> String) -> Advice {
        switch self {
        case .server(let sentence): .server(change(sentence))
        case .noKey(let sentence): .noKey(change(sentence))
        case .noException(let sentence): .noException(change(sentence))
        }
    }

    private static func end(of sentence: String, after beginning: String) -> String {
        String(sentence.dropFirst(beginning.count).drop { $0 == ":" || $0 == " " })
    }

    /// Frozen: records hold it.
    private static let noKeyBeginning = "No ATS key helps"
    private static let noExceptionBeginning = "No exception helps"
}

/// A minimal exception: one domain and the keys to set.
public struct ExceptionFix: Sendable, Hashable {
    public enum Value: Sendable, Hashable {
        case flag(Bool)
        case text(String)
    }

    public struct Setting: Sendable, Hashable {
        public var key: String
        public var value: Value

        public init(_ key: String, _ value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// Key of the entry, for example `api.example.com`.
    public var domain: String
    /// In the order to write them.
    public var settings: [Setting]

    public init(domain: String, settings: [Setting]) {
        self.domain = domain
        self.settings = settings
    }
}

extension ExceptionFix {
    /// In one sentence without a full stop, wherever a fix is told:
    /// `NSExceptionDomains "api.example.com": NSExceptionRequiresForwardSecrecy = false`.
    public var sentence: String {
        let settings = settings.map { "\($0.key) = \($0.value.words)" }
        return "\(ATSKey.exceptionDomains) \"\(domain)\": " + settings.joined(separator: ", ")
    }
}

extension ExceptionFix.Value {
    /// `true`, `false`, or the text itself.
    public var words: String {
        switch self {
        case .flag(let flag): String(flag)
        case .text(let text): text
        }
    }
}
