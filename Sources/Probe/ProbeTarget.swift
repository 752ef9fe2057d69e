public import ATSPolicy
public import Diagnosis
import Text

/// A target to probe: a URL, or a host with or without a port, which means https.
public struct ProbeTarget: Sendable, Hashable {
    /// The target as a URL.
    public let url: String
    public let target: LoadTarget
    /// Path and query; at least `/`.
    public let path: String

    /// - Throws: if `text` is neither an http, https, ws or wss URL nor a host.
    public init(_ text: String) throws(URLTextError) {
        // Errors, such as a misspelt scheme, refer to the text as it was written.
        if IPAddress(text) == nil { _ = try URLText.parse(text) }
        let url = try URLText.parse(Self.url(of: text))
        self.url = url.text
        target = url.target
        path = url.path
    }

    public init(_ target: LoadTarget, path: String = "/") {
        self.target = target
        self.path = path
        url = target.origin + path
    }

    private static func url(of text: String) -> String {
        if text.contains("://") { return text }
        if case .v6? = IPAddress(text) { return "https://[\(text)]/" }
        return "https://" + text + (text.contains("/") ? "" : "/")
    }
}
