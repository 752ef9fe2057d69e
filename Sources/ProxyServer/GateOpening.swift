public import ATSPolicy
import Foundation
import NetLoop
public import ProxyCore
import Records
public import TLSEngine

/// A gate that has read its files and listens but does not serve yet. Startup errors occur here, before anything is
/// stored.
public struct GateOpening: Sendable {
    /// The dictionary from the policy file.
    public let declaration: Declaration

    let settings: GateSettings
    let source: PolicySource
    let policy: GatePolicy
    /// The CA that clients should trust.
    public let authority: CertificateAuthority
    /// The gate's own pages; nil for none.
    public var ownSite: OwnSite?
    let listeners: [Listener]
    /// The addresses it listens on, with the actual ports.
    public let addresses: [ListenAddress]

    /// - Throws: ``GateError``; then no listener is left open.
    public init(_ settings: GateSettings) throws(GateError) {
        for listener in settings.listeners where !listener.isLoopback && !settings.allowsLAN {
            throw .lanNotAllowed(listener.text)
        }
        try Self.checkRedirects(settings)
        self.settings = settings
        var source = PolicySource(settings: settings)
        declaration = try source.readDeclaration()
        if settings.policyPath == "-" { source.standing = declaration }
        authority = try Self.openAuthority(settings)
        let open = try Self.listen(settings)
        listeners = open
        addresses = zip(settings.listeners, open).map { wanted, listener in
            var address = wanted
            address.port = listener.port
            return address
        }
        do throws(GateError) {
            source.owns(addresses)
            try source.checkParent()
            policy = try source.load(declaration: declaration)
            self.source = source
        } catch {
            for listener in open { listener.stop() }
            throw error
        }
    }

    /// Stops listening, if no gate is made from this.
    public func close() {
        for listener in listeners { listener.stop() }
    }

    private static func checkRedirects(_ settings: GateSettings) throws(GateError) {
        let listener = settings.listeners.first { $0.entrance.isRedirected }
        if let listener, !ListenAddress.takesRedirected { throw .noRedirects(listener.text) }
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
                // REDIRECT works even without the right to do this.
                if wanted.entrance.isRedirected { listener.takeAnyAddress() }
                open.append(listener)
            } catch {
                for listener in open { listener.stop() }
                throw .listen(wanted.text, error)
            }
        }
        return open
    }
}
