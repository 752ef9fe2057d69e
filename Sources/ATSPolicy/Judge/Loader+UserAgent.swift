extension Loader {
    /// Who is asking, as far as a User-Agent tells; an app may set its own. Source: `ats-semantics.md` 7.4 `[O]`.
    ///
    /// Unknown agents are taken for the app itself (section 12.14).
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

    /// Clients with sockets of their own, which ATS does not govern (7.1).
    private static let foreignAgents = ["Dart/", "okhttp/", "curl/", "libcurl/", "Go-http-client/"]
}
