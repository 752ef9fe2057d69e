extension Setup {
    /// Makes the gate the proxy of network services, and trusts the CA.
    ///
    /// - Parameter certificate: path of the CA's PEM file and its SHA-256; nil leaves the keychain unchanged.
    /// - Returns: the changes.
    public func useProxy(
        _ proxy: Proxy, certificate: (path: String, sha256: String)?
    ) throws(SetupFailure) -> [String] {
        // The rest of an aborted setup is not the original state.
        try recover()
        let steps = try steps(to: proxy, certificate: certificate)
        try make(steps)
        return steps.map(\.title)
    }

    /// The steps that are still needed.
    func steps(
        to proxy: Proxy, certificate: (path: String, sha256: String)?
    ) throws(SetupFailure) -> [SetupStep] {
        let services = try NetworkServices(ask(NetworkServices.question))
        var names = proxy.services
        if names.isEmpty {
            guard let device = DefaultRoute.device(in: try ask(DefaultRoute.question)),
                let name = services.name(ofDevice: device)
            else { throw .noService }
            names = [name]
        }
        for name in names where !services.names.contains(name) {
            throw .unknownService(name, known: services.names)
        }
        var steps: [SetupStep] = []
        for name in names { steps += try proxySteps(of: name, to: proxy) }
        if let certificate, !isTrusted(certificate.path) {
            steps.append(.keychain(certificate: certificate.path, sha256: certificate.sha256))
        }
        return steps
    }

    private func proxySteps(of service: String, to proxy: Proxy) throws(SetupFailure) -> [SetupStep] {
        var steps: [SetupStep] = []
        for kind in ProxySetting.Kind.allCases {
            let question = ProxySetting.question(kind, of: service)
            let text = try ask(question)
            guard let before = ProxySetting(text) else {
                throw .command(question, reason: "unexpected output")
            }
            // An automatic configuration takes precedence over the others.
            let now =
                kind == .automatic
                ? ProxySetting(isOn: false, server: "") : ProxySetting(isOn: true, server: proxy.host, port: proxy.port)
            guard kind == .automatic ? before.isOn : before != now else { continue }
            if ProxySetting.hasPassword(text) { throw .passwordProxy(service: service) }
            steps.append(.proxy(service: service, kind: kind, before: before, now: now))
        }
        return steps
    }

    func isTrusted(_ certificate: String) -> Bool {
        runner.run(Self.trustQuestion(certificate)).status == 0
    }

    /// Asks by the basic policy: that for TLS would also require a server's name (security(1)).
    static func trustQuestion(_ certificate: String) -> [String] {
        ["security", "verify-cert", "-c", certificate, "-p", "basic"]
    }
}

/// The interface of the default route, from `route`. Source: route(8) of macOS.
enum DefaultRoute {
    static let question = ["route", "-n", "get", "default"]

    static func device(in text: String) -> String? {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == "interface:" { return String(words[1]) }
        }
        return nil
    }
}
