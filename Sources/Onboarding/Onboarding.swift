public import ProxyCore
import Resources
public import Text

/// The gate's site for setting up a device: a page, the CA in every format, and a PAC file. Its pictures each load only
/// if a condition is met, which shows the progress of the setup.
public struct Onboarding: Sendable {
    private let certificate: PublicCertificate
    private let passthrough: [HostPattern]
    private let appleServices: AppleServices.Scope
    /// URLs for a device to load in witness mode.
    private let witnessed: [String]
    private let addresses: @Sendable () -> [Authority]
    private let memory: DeviceMemory
    private let files: [OnboardingFile: [UInt8]]

    /// - Parameters:
    ///   - passthrough: hosts that the gate does not decrypt.
    ///   - appleServices: the clients whose connections to Apple's own services it does not decrypt.
    ///   - witnessed: URLs that the page for witness mode loads.
    ///   - memory: receives visits of devices.
    ///   - addresses: the addresses, with ports, at which clients reach the gate as a proxy; called for each request.
    public init(
        certificate: PublicCertificate, passthrough: [HostPattern] = [],
        appleServices: AppleServices.Scope = .nobody, witnessed: [String] = [],
        memory: DeviceMemory = DeviceMemory(),
        addresses: @escaping @Sendable () -> [Authority]
    ) {
        self.certificate = certificate
        self.passthrough = passthrough
        self.appleServices = appleServices
        self.memory = memory
        self.witnessed = witnessed
        self.addresses = addresses
        files = [
            .profile: Array(ConfigurationProfile(certificate).text.utf8), .der: certificate.der,
            .pem: Array(certificate.pem.utf8),
        ]
    }

    /// The site for a gate.
    public var site: OwnSite { OwnSite { answer($0) } }

    /// The answer to a request; nil for an unknown path.
    public func answer(_ request: OwnRequest) -> OwnAnswer? {
        let file = OnboardingFile(rawValue: String(request.path.dropFirst()))
        guard let answer = file.map({ answer($0, to: request) }) ?? other(request) else { return nil }
        memory.note(request, fetches: file?.isCertificate == true, isVisit: request.path != Self.statePath)
        return answer
    }

    /// The answer to a request for anything but an ``OnboardingFile``.
    private func other(_ request: OwnRequest) -> OwnAnswer? {
        let name = request.path.dropFirst()
        switch name {
        case "": return page(for: request)
        case "onboarding.css": return OwnAnswer("text/css; charset=utf-8", Resource("device/onboarding.css").bytes)
        case "onboarding.js": return OwnAnswer("text/javascript; charset=utf-8", Resource("device/onboarding.js").bytes)
        case "witness":
            return OwnAnswer(
                "text/html; charset=utf-8", Array(WitnessPage(urls: witnessed).text.utf8),
                fields: Self.securityFields(WitnessPage.contentPolicy))
        case "witness.js": return OwnAnswer("text/javascript; charset=utf-8", Resource("device/witness.js").bytes)
        // Browsers request it automatically.
        case "favicon.ico": return OwnAnswer("image/svg+xml", Array(Self.picture.utf8))
        case Self.statePath.dropFirst(): return OwnAnswer("application/json", Array(state(of: request).utf8))
        default: return light(named: name, for: request)
        }
    }

    private func answer(_ file: OnboardingFile, to request: OwnRequest) -> OwnAnswer {
        OwnAnswer(file.mediaType, files[file] ?? Array(automaticConfiguration(for: request).text.utf8))
    }

    private func automaticConfiguration(for request: OwnRequest) -> ProxyAutoConfiguration {
        let apples = appleServices.includes(client: request.client) ? AppleServices.patterns : []
        return ProxyAutoConfiguration(
            proxy: proxy(for: request), passthrough: passthrough + apples, excluding: AppleServices.privateRelay)
    }

    private func page(for request: OwnRequest) -> OwnAnswer {
        let page = OnboardingPage(
            request: request, certificate: certificate, proxy: proxy(for: request),
            others: addresses().filter { IPAddress($0.host)?.isLoopback != true },
            hasFetched: memory.hasFetched(request.client), build: memory.build(on: request.client),
            apps: memory.apps(on: request.client), witnessed: witnessed.count)
        return OwnAnswer(
            "text/html; charset=utf-8", Array(page.text.utf8), fields: Self.securityFields(Self.contentPolicy))
    }

    private static func securityFields(_ contentPolicy: String) -> [(name: String, value: String)] {
        [
            ("Content-Security-Policy", contentPolicy), ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"),
        ]
    }

    /// A picture whose loading proves a light. It is served only over the connection that proves it.
    private func light(named name: Substring, for request: OwnRequest) -> OwnAnswer? {
        guard let light = Light.allCases.first(where: { name == "lights/\($0.rawValue).svg" }), light.isOn(in: request)
        else { return nil }
        return OwnAnswer("image/svg+xml", Array(Self.picture.utf8))
    }

    /// The facts about the requesting device.
    private func state(of request: OwnRequest) -> String {
        var members: [(key: String, value: JSONValue)] = Light.allCases.map {
            ($0.rawValue, .flag($0.isOn(in: request)))
        }
        members.append(("fetched", .flag(memory.hasFetched(request.client))))
        members.append(("fingerprint", .string(certificate.fingerprint)))
        // Only this machine may see the paths of its files.
        if IPAddress(request.client)?.isLoopback == true {
            members.append(("policy", .string(request.policy ?? "secure defaults")))
        }
        return JSONValue.object(members).text + "\n"
    }

    /// The gate's address for this device.
    private func proxy(for request: OwnRequest) -> Authority {
        let isNamed = HostGrammar.normalized(request.authority.host) == OwnSite.name
        if !isNamed, request.authority.port != nil { return request.authority }
        let known = addresses()
        let near = known.max { nearness($0, to: request.client) < nearness($1, to: request.client) }
        return near ?? Authority(host: request.authority.host, port: request.authority.port ?? 80)
    }

    /// The number of leading bits that two addresses share: largest on the same network.
    private func nearness(_ own: Authority, to client: String) -> Int {
        switch (IPAddress(own.host)?.unmapped, IPAddress(client)?.unmapped) {
        case (.v4(let one), .v4(let other)): (one ^ other).leadingZeroBitCount
        case (.v6(let one), .v6(let other)): (one ^ other).leadingZeroBitCount
        default: -1
        }
    }

    /// Nothing inline, and nothing from elsewhere except the pictures that prove a light.
    private static let contentPolicy =
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
        + "img-src 'self' http://\(OwnSite.name) https://\(OwnSite.name); base-uri 'none'; form-action 'none'; "
        + "frame-ancestors 'none'"

    /// An open page requests it every two seconds, and `atsgate doctor` requests only this.
    private static let statePath = "/lights.json"

    private static let picture =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"24\" height=\"24\" viewBox=\"0 0 16 16\"><circle cx=\"8\" cy=\"8\" r=\"8\" fill=\"#1d6f46\"/>"
        + "<path d=\"M4.5 8.4l2.4 2.4 4.6-5\" fill=\"none\" stroke=\"#fff\" stroke-width=\"1.8\"/></svg>\n"
}
