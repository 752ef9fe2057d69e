import Text

/// Whether an entry of `NSExceptionDomains` is still needed, according to its hosts.
public struct ExceptionNeed: Sendable, Hashable {
    /// Raw values are shown in JSON.
    public enum Need: String, Sendable, Hashable, CaseIterable {
        case yes, no
        /// Some of its keys are not needed.
        case partly
        /// Its hosts were not reached, or are not known.
        case unknown
    }

    /// The entry's key, or a key at the top of the dictionary.
    public let entry: String
    public let needed: Need
    /// The reason, in one sentence.
    public let why: String
    /// Keys that are not needed: all of them if the entry is not needed.
    public let needless: [String]

    init(_ entry: String, _ needed: Need, _ why: String, needless: [String] = []) {
        self.entry = entry
        self.needed = needed
        self.why = needed == .partly ? why + "; not needed: \(needless.joined(separator: ", "))" : why
        self.needless = needless
    }

    var jsonValue: JSONValue {
        .object([("entry", .string(entry)), ("needed", .string(needed.rawValue)), ("why", .string(why))])
    }
}
