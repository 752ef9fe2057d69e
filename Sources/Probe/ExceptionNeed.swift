import Text

/// Whether an entry of `NSExceptionDomains` is still needed, as far as its hosts can tell.
public struct ExceptionNeed: Sendable, Hashable {
    /// Raw values are shown in JSON.
    public enum Need: String, Sendable, Hashable, CaseIterable {
        case yes, no
        /// Some of its keys are not.
        case partly
        /// Its hosts were not reached, or are not known.
        case unknown
    }

    /// Its key.
    public let entry: String
    public let needed: Need
    /// One sentence.
    public let why: String
    /// Keys that nothing needs: all of them where the entry is not needed.
    public let needless: [String]

    init(_ entry: String, _ needed: Need, _ why: String, needless: [String] = []) {
        self.entry = entry
        self.needed = needed
        self.why = why
        self.needless = needless
    }

    var jsonValue: JSONValue {
        .object([("entry", .string(entry)), ("needed", .string(needed.rawValue)), ("why", .string(why))])
    }
}
