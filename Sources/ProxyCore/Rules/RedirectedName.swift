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

extension Finding {
    static func otherAddress(_ address: String, than name: String) -> Finding {
        seen(
            .clientAddress, "Local name or other address than the dialed one",
            expected: "a public name, or \(address)",
            observed: "The client connected to \(address) and asked for \(name).",
            source: "docs/transparent.md#names")
    }
}
