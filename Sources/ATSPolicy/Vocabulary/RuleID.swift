/// Why a load was refused or failed. Raw values are stored and shown: never rename one, only add.
///
/// An id is declared where its rule is, in the rule's own file; those of no rule on handshakes are in
/// `RuleID+Incidents.swift`. A constant for each, and no enumeration: a switch over rules would be a second place that
/// knows them all.
public struct RuleID: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public let category: RuleCategory

    /// Declares an id. Only ATSPolicy does.
    ///
    /// - Parameter rawValue: the category's name, a dot, and a name of its own.
    init(_ rawValue: String, _ category: RuleCategory) {
        self.rawValue = rawValue
        self.category = category
    }

    /// Reads an id back, for example from a store.
    ///
    /// - Returns: nil for text that is no declared id.
    public init?(rawValue: String) {
        guard let known = Self.declared[rawValue] else { return nil }
        self = known
    }

    private static let declared = Dictionary(allCases.map { ($0.rawValue, $0) }) { first, _ in first }
}

extension RuleID: CaseIterable {
    /// The rules of the ``RuleBook`` in its order, then everything else that ends a load.
    public static let allCases = [cleartextLoad] + RuleBook.standard.rules.map(\.id) + incidents
}

/// What kind of reason a rule id stands for: the part of the id in front of its dot.
public enum RuleCategory: String, Sendable, Hashable, CaseIterable {
    /// App Transport Security itself, by the app's declaration.
    case ats
    /// The system's own evaluation of certificates.
    case trust
    /// What the app's own code says of certificates.
    case app
    /// A handshake that broke for a reason that no rule explains.
    case tls
    /// An origin, or a proxy before it, that was not reached or was lost.
    case network = "net"
    /// Messages that are no valid HTTP.
    case http
    /// What the client did.
    case client
    /// What the gate itself did or lacked.
    case gate

    /// Of an id as a record has it, which may be one of a later version.
    ///
    /// - Returns: nil for text that begins with no category.
    public init?(ofRule id: String) {
        guard let dot = id.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        self.init(rawValue: String(id[..<dot]))
    }

    /// Whether a load that ends for such a reason was blocked; otherwise it failed.
    public var isBlocking: Bool {
        switch self {
        case .ats, .trust, .app: true
        case .tls, .network, .http, .client, .gate: false
        }
    }
}
