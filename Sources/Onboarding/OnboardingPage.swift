internal import ProxyCore
internal import Text

/// The page for one device, readable without a script. Lights that the gate cannot determine are pictures that load
/// only when they are on.
struct OnboardingPage {
    let request: OwnRequest
    let certificate: PublicCertificate
    /// The gate's address for this device.
    let proxy: Authority
    /// The gate's addresses for other devices.
    let others: [Authority]
    /// True if this device has fetched the certificate before.
    let hasFetched: Bool
    /// The state of ATS in the app that this device used last.
    var build: InstalledATS?
    /// True if loads of apps arrived from this device, false if only checks of the connection did.
    var apps: Bool?
    /// The number of URLs on the page for witness mode.
    var witnessed = 0

    private var system: DeviceSystem {
        let chosen = request.query.split(separator: "&").first { $0.hasPrefix("system=") }?.dropFirst(7)
        return chosen.flatMap { DeviceSystem(rawValue: String($0)) } ?? DeviceSystem(userAgent: request.userAgent)
    }

    var text: String {
        DevicePage(
            title: "atsgate: set up a device", script: "/onboarding.js", heading: system.heading, body: body
        ).text
    }

    private var body: String {
        let system = system
        return """
            \(witness)<section aria-labelledby="lights"><h2 id="lights">Status</h2>
            <ol class="lights">
            \(Light.allCases.map(row).joined())</ol>
            <p class="again"><a href="\(Self.link(to: system))">Check again</a></p>
            </section>
            <section aria-labelledby="next"><h2 id="next">Next steps</h2>
            <ol class="steps">
            \(steps(of: system))</ol>
            </section>
            <section aria-labelledby="certificate"><h2 id="certificate">The certificate</h2>
            <p>\(XMLText.escaped(certificate.name)). Trust it only if your device shows this fingerprint:</p>
            <p class="fingerprint"><span>SHA-256</span> <code>\(certificate.spelledFingerprint)</code></p>
            <ul class="files">
            \(OnboardingFile.allCases.map(Self.row).joined())</ul>
            <p class="caution">Anyone who has this gate's key can read the traffic of a device that trusts it: use \
            test devices only.</p>
            </section>
            <section aria-labelledby="away"><h2 id="away">Undo the setup</h2>
            <ol>
            \(system.removal.map { "<li>\(XMLText.escaped($0))</li>\n" }.joined())</ol>
            </section>
            \(otherDevice)<nav aria-label="Other systems"><h2>Another system</h2>
            <ul class="systems">
            \(DeviceSystem.allCases.map { Self.link(to: $0, isCurrent: $0 == system) }.joined())</ul>
            </nav>
            <footer><p>This page comes from the gate itself. It is not judged and not recorded.</p></footer>

            """
    }

    /// The link to the page for witness mode; empty in other modes.
    private var witness: String {
        guard witnessed > 0 else { return "" }
        return """
            <section aria-labelledby="witness"><h2 id="witness">Test this device</h2>
            <p>This gate decrypts and enforces nothing: the device needs the proxy, but no certificate.</p>
            <p><a class="button" href="/witness">\(witnessed == 1 ? "1 address" : "\(witnessed) addresses") to load</a></p>
            </section>

            """
    }

    private func row(_ light: Light) -> String {
        let isOn = light.isOn(in: request) || light == .relaxed && build == .relaxed || light == .apps && apps == true
        let half = isOn ? nil : half(light)
        let picture =
            isOn
            ? "<img src=\"/lights/reached.svg\" alt=\"\">"
            : light.probe.map { "<img src=\"\($0)\" alt=\"\">" } ?? ""
        let state = isOn ? "on" : half == nil ? "off" : "half"
        let word = isOn ? "yes" : half ?? "not seen yet"
        return """
            <li id="\(light.rawValue)" data-state="\(state)"><span class="dot">\(picture)</span>\
            <span class="what"><strong>\(light.title)</strong> <small>\(light.meaning)</small></span>\
            <span class="state">\(word)</span></li>

            """
    }

    /// The state between on and off, in words; nil if the light is not in it.
    private func half(_ light: Light) -> String? {
        switch light {
        case .installed where hasFetched: "fetched, not yet trusted"
        case .relaxed where build == .inForce: "no: the app refuses loads before the gate is asked"
        case .apps where apps == false:
            "no, only checks of the connection: turn off VPN (also Connect On Demand), iCloud Private Relay and "
                + "content filters"
        case .reached, .through, .installed, .trusted, .relaxed, .apps: nil
        }
    }

    private func steps(of system: DeviceSystem) -> String {
        let automatic = "http://\(proxy)/\(OnboardingFile.automatic.rawValue)"
        let steps = system.steps(host: proxy.host, port: proxy.port ?? 80, automatic: automatic)
            // Redirected devices need no proxy.
            .filter { !request.isRedirected || $0.light != .through }
        return steps.map { step in
            let isDone = step.light.map { $0.isOn(in: request) } ?? false
            let taps = step.taps.map { "<li>\(XMLText.escaped($0))</li>\n" }.joined()
            let fetch = """
                <p><a class="button" href="/\(system.file.rawValue)">Fetch the \
                \(system.file == .profile ? "profile" : "certificate")</a></p>

                """
            let address = "http://\(proxy)/\(system.file.rawValue)"
            let spelled = system == .tvOS ? "<p><code>\(XMLText.escaped(address))</code></p>\n" : ""
            return """
                <li data-light="\(step.light?.rawValue ?? "")"\(isDone ? " class=\"done\"" : "")>\
                <h3>\(step.title)</h3>
                \(step.fetches ? fetch + spelled : "")<ul>
                \(taps)</ul></li>

                """
        }.joined()
    }

    private static func row(_ file: OnboardingFile) -> String {
        "<li><a href=\"/\(file.rawValue)\">\(file.rawValue)</a> <small>\(file.title)</small></li>\n"
    }

    private static func link(to system: DeviceSystem) -> String { "/?system=\(system.rawValue)" }

    private static func link(to system: DeviceSystem, isCurrent: Bool) -> String {
        "<li><a href=\"\(link(to: system))\"\(isCurrent ? " aria-current=\"page\"" : "")>\(system.title)</a></li>\n"
    }

    /// A code for the camera of a phone, if the gate is reachable from other machines.
    private var otherDevice: String {
        let heading = "<section aria-labelledby=\"other\"><h2 id=\"other\">Another device</h2>\n"
        let addresses = others.isEmpty && IPAddress(proxy.host)?.isLoopback == false ? [proxy] : others
        guard let first = addresses.first, let code = QRCode("http://\(first)/") else {
            return heading + """
                <p>This gate listens on its own machine only. To let devices on your network connect, add these options to its
                command:</p>
                <pre><code>--listen 0.0.0.0:\(proxy.port ?? 9802) --allow-lan</code></pre>
                </section>

                """
        }
        let links = addresses.map { "<li><a href=\"http://\($0)/\">http://\($0)/</a></li>\n" }.joined()
        return heading + """
            <p>Point its camera here, or open one of these in its browser.</p>
            \(code.svg(label: "QR code of http://\(first)/"))
            <ul>
            \(links)</ul>
            </section>

            """
    }
}
