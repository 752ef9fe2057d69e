/// A URL, or a host without a scheme, in the bytes of a file.
public struct FoundText: Sendable, Hashable {
    public enum Scheme: String, Sendable, Hashable {
        case http, https, ws, wss
    }

    /// nil for a host without a scheme.
    public let scheme: Scheme?
    /// Lower case; an IPv6 address without brackets. Empty for an ``isTemplate``.
    public let host: String
    /// nil for the scheme's default.
    public let port: Int?
    /// As written, cut at ``longest``.
    public let text: String
    /// True if the program inserts the host, or a part of it, when it runs.
    public let isTemplate: Bool
    /// True if the URL is in a sentence, which is for people.
    public var isProse = false

    /// Longer URLs are cut: they are shown, not loaded.
    static let longest = 200

    init(scheme: Scheme?, host: String, port: Int? = nil, text: some StringProtocol, isTemplate: Bool = false) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.text = String(text.prefix(Self.longest))
        self.isTemplate = isTemplate
    }
}
