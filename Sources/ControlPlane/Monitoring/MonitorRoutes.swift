import HTTPWire

extension WebRouter {
    /// The routes for monitoring: three, without a token, which reveal nothing about the loads.
    ///
    /// - Parameter takesAnyName: accepts every Host name, for networks in which the gate has a name. Otherwise only an
    ///   address or `localhost` is accepted, so that no site in a browser on this machine can read the answers.
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
    /// Limits for clients that poll every few seconds and send no body.
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
    /// The problems, one per line, with 503; `ok` if there are none.
    fileprivate static func sentences(_ sentences: [String]) -> WebAnswer {
        guard !sentences.isEmpty else { return .plain("ok\n") }
        return .plain(sentences.map { $0 + "\n" }.joined(), status: 503)
    }
}
