/// The smallest changes that would make a blocked load acceptable.
public struct Remedy: Sendable, Hashable {
    public var advice: [Advice]
    /// The entry to add under `NSExceptionDomains`, if one can help.
    public var exception: ExceptionFix?

    public init(_ advice: [Advice], exception: ExceptionFix? = nil) {
        self.advice = advice
        self.exception = exception
    }

    /// - Parameter server: changes for the server, one sentence each.
    public init(server: [String], exception: ExceptionFix? = nil) {
        self.init(server.map { .server($0) }, exception: exception)
    }

    /// Returns the remedy with each sentence changed.
    public func with(_ change: (String) -> String) -> Remedy {
        Remedy(advice.map { $0.with(change) }, exception: exception)
    }

    /// The advice as records store it.
    public var sentences: [String] { advice.map(\.sentence) }
}

/// A fix for a blocked load, or the reason why a fix does not exist; each a whole sentence.
public enum Advice: Sendable, Hashable {
    /// A change on the server.
    case server(String)
    /// The reason why no key of a dictionary helps.
    case noKey(String)
    /// The reason why no entry of `NSExceptionDomains` helps.
    case noException(String)

    /// - Parameters:
    ///   - reason: ends the sentence, including the full stop.
    ///   - system: the release that it applies to; nil for all.
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

    /// True if this is a change for the server, not a limit of the dictionary.
    public var isForServer: Bool {
        switch self {
        case .server: true
        case .noKey, .noException: false
        }
    }

    /// The reason without the fixed beginning, as the end of a sentence; nil for advice for the server.
    public var reason: String? {
        switch self {
        case .server: nil
        case .noKey(let sentence): Self.end(of: sentence, after: Self.noKeyBeginning)
        case .noException(let sentence): Self.end(of: sentence, after: Self.noExceptionBeginning)
        }
    }

    /// Reads advice back from a record, which stores only the sentence.
    public init(recorded sentence: String) {
        if sentence.hasPrefix(Self.noKeyBeginning) {
            self = .noKey(sentence)
        } else if sentence.hasPrefix(Self.noExceptionBeginning) {
            self = .noException(sentence)
        } else {
            self = .server(sentence)
        }
    }

    /// Returns the advice with its sentence changed.
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

    /// Frozen: stored in records.
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
    /// The fix in one sentence without a full stop, as every output shows it: `NSExceptionDomains "api.example.com":
    /// NSExceptionRequiresForwardSecrecy = false`.
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
