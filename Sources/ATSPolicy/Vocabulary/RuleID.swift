/// The reason why a load was blocked or failed. Raw values are stored and shown: never rename one, only add.
///
/// An id is declared next to its rule, in the rule's own file; ids without a handshake rule are in
/// `RuleID+Incidents.swift`. They are constants instead of an enumeration: a switch over rules would be a second place
/// that lists all of them.
public struct RuleID: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public let category: RuleCategory

    /// Declares an id. Only ATSPolicy does this.
    ///
    /// - Parameter rawValue: the category's name, a dot, and a unique name.
    init(_ rawValue: String, _ category: RuleCategory) {
        self.rawValue = rawValue
        self.category = category
    }

    /// Reads an id, for example from a store.
    ///
    /// - Returns: nil for text that is not a declared id.
    public init?(rawValue: String) {
        guard let known = Self.declared[rawValue] else { return nil }
        self = known
    }

    private static let declared = Dictionary(allCases.map { ($0.rawValue, $0) }) { first, _ in first }
}

extension RuleID: CaseIterable {
    /// The rules of the ``RuleBook`` in its order, then all other ids.
    public static let allCases = [cleartextLoad] + RuleBook.standard.rules.map(\.id) + incidents
}

/// The category of a rule id: the part before its dot.
public enum RuleCategory: String, Sendable, Hashable, CaseIterable {
    /// App Transport Security itself, according to the app's dictionary.
    case ats
    /// The system's own evaluation of certificates.
    case trust
    /// Decisions of the app's own code about certificates.
    case app
    /// A handshake that broke for a reason that no rule explains.
    case tls
    /// An origin, or a proxy on the way to it, that was not reached or was lost.
    case network = "net"
    /// Messages that are not valid HTTP.
    case http
    /// Actions of the client.
    case client
    /// Actions or limits of the gate itself.
    case gate

    /// The category of an id from a record, which may have been written by a later version.
    ///
    /// - Returns: nil for text that does not begin with a category.
    public init?(ofRule id: String) {
        guard let dot = id.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        self.init(rawValue: String(id[..<dot]))
    }

    /// True if a load that ends for such a reason was blocked; otherwise it failed.
    public var isBlocking: Bool {
        switch self {
        case .ats, .trust, .app: true
        case .tls, .network, .http, .client, .gate: false
        }
    }
}
