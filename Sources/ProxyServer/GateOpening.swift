public import ATSPolicy
import Foundation
import NetLoop
public import ProxyCore
public import TLSEngine

/// A gate that has read everything and listens, before it serves: what can fail fails here, while nothing is kept yet.
public struct GateOpening: Sendable {
    /// What the policy file said.
    public let declaration: Declaration

    let settings: GateSettings
    let policyLoader: PolicyLoader
    let policy: GatePolicy
    /// The CA that clients are to trust.
    public let authority: CertificateAuthority
    /// Pages of the gate's own, for whoever asks the gate itself; nil for none.
    public var ownSite: OwnSite?
    let listeners: [Listener]
    /// Where it listens, with the real ports.
    public let addresses: [ListenAddress]

    /// - Throws: ``GateError``; nothing is left open then.
    public init(_ settings: GateSettings) throws(GateError) {
        for listener in settings.listeners where !listener.isLoopback && !settings.allowsLAN {
            throw .lanNotAllowed(listener.text)
        }
        try Self.checkRedirects(settings)
        self.settings = settings
        policyLoader = PolicyLoader(settings: settings)
        declaration = try policyLoader.readDeclaration()
        if settings.policyPath == "-" { policyLoader.standing = declaration }
        authority = try Self.openAuthority(settings)
        let open = try Self.listen(settings)
        listeners = open
        addresses = zip(settings.listeners, open).map { wanted, listener in
            var address = wanted
            address.port = listener.port
            return address
        }
        do throws(GateError) {
            policyLoader.owns(addresses)
            try policyLoader.checkParent()
            policy = try policyLoader.load(declaration: declaration)
        } catch {
            for listener in open { listener.stop() }
            throw error
        }
    }

    /// Stops listening, where no gate is made of it.
    public func close() {
        for listener in listeners { listener.stop() }
    }

    private static func checkRedirects(_ settings: GateSettings) throws(GateError) {
        guard let listener = settings.listeners.first(where: { $0.speaks == .transparent }) else { return }
        guard let redirects = settings.redirects else {
            if !ListenAddress.takesRedirected { throw .noRedirects(listener.text) }
            return
        }
        if let failure = redirects.check() { throw .untoldRedirects(listener.text, reason: failure.reason) }
    }

    private static func openAuthority(_ settings: GateSettings) throws(GateError) -> CertificateAuthority {
        do throws(CertificateAuthorityError) {
            return try CertificateAuthority.openOrCreate(
                directory: settings.caDirectory, now: Int64(Date().timeIntervalSince1970))
        } catch {
            throw .authority(error)
        }
    }

    private static func listen(_ settings: GateSettings) throws(GateError) -> [Listener] {
        var open: [Listener] = []
        for wanted in settings.listeners {
            do throws(NetError) {
                let listener = try Listener.open(host: wanted.host, port: wanted.port, handed: settings.handed)
                // Without the right to that REDIRECT works all the same.
                if wanted.speaks == .transparent { listener.takeAnyAddress() }
                open.append(listener)
            } catch {
                for listener in open { listener.stop() }
                throw .listen(wanted.text, error)
            }
        }
        return open
    }
}
