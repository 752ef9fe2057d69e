import ATSPolicy
import Records
import Text

/// A host name that a redirected client gave for the connection, compared with the address that it dialed.
///
/// The name decides the ruling, without a DNS lookup. The exceptions are names that ATS treats more leniently than public
/// hosts: they never get a more lenient ruling than the address.
enum RedirectedName {
    /// A public name, or the dialed address itself.
    case trusted
    /// A name that is local on some release: without a dot, `*.local` or `*.localhost`.
    case local
    /// An address literal, in any spelling, that differs from the dialed address.
    case otherAddress

    init(_ name: String, at address: IPAddress) {
        let host = HostGrammar.normalized(name)
        if let literal = IPAddress(host: host) ?? Self.scopedAddress(host) {
            self = literal == address ? .trusted : .otherAddress
        } else if !host.utf8.contains(UInt8(ascii: ".")) || HostGrammar.isHost(host, below: "local")
            || HostGrammar.isHost(host, below: "localhost")
        {
            self = .local
        } else {
            self = .trusted
        }
    }

    /// The address of a literal with a zone, such as `fe80::1%en0` (RFC 6874).
    private static func scopedAddress(_ host: String) -> IPAddress? {
        host.utf8.firstIndex(of: UInt8(ascii: "%")).flatMap { IPAddress(host[..<$0]) }
    }
}

extension SessionContext {
    /// The finding about a name that does not decide alone; nil if it does, and for clients that were not redirected.
    func doubt(of name: String) -> RecordedDiagnosis? {
        guard let original = place.original else { return nil }
        switch RedirectedName(name, at: original.address) {
        case .trusted: return nil
        case .local, .otherAddress: return RecordedDiagnosis(.otherAddress(original.host, than: name))
        }
    }
}

extension Load {
    /// Judges a cleartext request of a redirected client by the dialed address as well, if its host name does not decide alone.
    func noteAddress(in tunnel: Tunnel?, _ context: SessionContext) {
        guard let place = ruled.place, tunnel?.isTransparent == true, target.scheme == .http,
            let doubt = context.doubt(of: target.host)
        else { return }
        alsoNamed = LoadTarget(scheme: .http, host: place.host, port: place.port)
        guard misdirection(in: tunnel, context) == nil else { return }
        remark = remark?.adding(doubt) ?? doubt
    }

    /// The answer to a cleartext request whose `Host` is another address than the dialed one: the client may ask again on a
    /// connection to that address. nil for other requests, and in audit mode. Source: RFC 9110 section 15.5.20.
    func misdirection(in tunnel: Tunnel?, _ context: SessionContext) -> ErrorAnswer? {
        guard context.loop.policy.rules.mode == .enforce, let place = ruled.place, tunnel?.isTransparent == true,
            target.scheme == .http,
            case .otherAddress = RedirectedName(target.host, at: place.address)
        else { return nil }
        return ErrorAnswer(421, "Not on this connection", .otherAddress(place.host, than: target.host))
    }
}

extension Tunnel {
    /// A second permit that its origin must satisfy: for another host that the client named, with that host's certificate, or
    /// for the dialed address if the name does not decide alone.
    func alsoAsked(beside ruled: TargetRuling, _ context: SessionContext) -> ConnectPermit? {
        if let alsoNamed { return context.ruled(on: alsoNamed, like: ruled).permit }
        guard isDoubtful, let place = ruled.place else { return nil }
        let address = LoadTarget(scheme: .https, host: place.host, port: place.port)
        return context.ruled(on: address, like: ruled).permit.retargeted(to: ruled.target)
    }
}

extension Finding {
    fileprivate static func otherAddress(_ address: String, than name: String) -> Finding {
        seen(
            .clientAddress, "Local name or other address on a redirected connection",
            expected: "a public name, or \(address)",
            observed: "The client connected to \(address) and asked for \(name). The stricter ruling of both applies.",
            source: "docs/transparent.md#names")
    }
}
