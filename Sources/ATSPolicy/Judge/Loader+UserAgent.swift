extension Loader {
    /// Who is asking, as far as a User-Agent tells; an app may set its own. Source: matomo-org/device-detector,
    /// ua-parser/uap-core; docs/law/loaders.md#user-agent.
    ///
    /// Unknown agents are taken for the app itself (docs/law/loaders.md#user-agent).
    public init(userAgent: String?) {
        guard let agent = userAgent else {
            self = .app
            return
        }
        if agent.hasPrefix("AppleCoreMedia/") {
            self = .media
        } else if agent.hasPrefix("com.apple.WebKit") {
            self = .web
        } else if agent.hasPrefix("Mozilla/") {
            self = Self.ofWebContent(agent)
        } else {
            self = Self.foreignAgents.contains { agent.hasPrefix($0) } ? .outside : .app
        }
    }

    /// A web view of an app names neither Version nor Safari; a browser does, and is none of the app's business. An
    /// agent of another platform is taken for the web view that it may be copied into.
    private static func ofWebContent(_ agent: String) -> Loader {
        agent.contains("AppleWebKit/") && agent.contains(" Version/") && agent.contains(" Safari/") ? .outside : .web
    }

    /// Clients with sockets of their own, which ATS does not govern (docs/law/loaders.md#coverage).
    private static let foreignAgents = ["Dart/", "okhttp/", "curl/", "libcurl/", "Go-http-client/"]
}
