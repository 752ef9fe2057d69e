import HTTPWire

extension WebRouter {
    /// For who watches the gate by machine: three questions, no token, and nothing that says what is loaded.
    ///
    /// - Parameter takesAnyName: requests may name the gate as they like, as in a network where it has a name of its own;
    ///   else by an address or `localhost`, so that no site of a browser on this machine can read what is told here.
    public static func monitoring(_ monitor: GateMonitor, port: Int, takesAnyName: Bool) -> WebRouter {
        let rules = AccessRules(port: port, takesAnyName: takesAnyName)
        return WebRouter(
            withoutToken: rules,
            [
                WebRoute(.get, "/healthz", .anyone) { _ in .sentences([monitor.trouble].compactMap(\.self)) },
                WebRoute(.get, "/readyz", .anyone) { _ in .sentences(monitor.obstacles(monitor.pulse)) },
                .metrics(of: monitor, at: "/metrics", .anyone),
            ])
    }
}

extension WebRoute {
    static func metrics(of monitor: GateMonitor, at path: String, _ access: Access) -> WebRoute {
        WebRoute(.get, path, access) { _ in WebAnswer(Metrics.mediaType, monitor.metrics.text) }
    }
}

extension WebLimits {
    /// For what asks every few seconds, and sends nothing.
    public static var monitoring: WebLimits {
        var limits = WebLimits()
        limits.connections = 32
        limits.streams = 0
        limits.headBytes = 8_192
        limits.bodyBytes = 0
        limits.answer = .seconds(10)
        return limits
    }
}

extension WebAnswer {
    /// What is wrong, a line each, with 503; or that nothing is.
    fileprivate static func sentences(_ sentences: [String]) -> WebAnswer {
        guard !sentences.isEmpty else { return .plain("ok\n") }
        return .plain(sentences.map { $0 + "\n" }.joined(), status: 503)
    }
}
