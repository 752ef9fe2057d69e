import ATSPolicy
import Records
import Text

/// Whether a name that a redirected client asks for leads to the address that it wanted.
public enum AddressMatch: Sendable, Hashable {
    case leads
    /// It leads to other addresses, as the gate looks it up.
    case elsewhere
    /// It can not be looked up, or not in time.
    case unresolved
}

/// What a session knows of the names that its client asks for at one address.
struct NamedAddresses {
    private var matches: [String: AddressMatch] = [:]
    private var asked: Set<String> = []

    /// nil as long as nobody has told.
    func match(of name: String) -> AddressMatch? { matches[name.lowercased()] }

    /// - Returns: whether somebody has to be asked now.
    mutating func ask(_ name: String) -> Bool {
        asked.count < Self.limit && asked.insert(name.lowercased()).inserted
    }

    mutating func note(_ match: AddressMatch, of name: String) { matches[name.lowercased()] = match }

    /// Whether a question about it is under way.
    func isAsked(_ name: String) -> Bool { asked.contains(name.lowercased()) && match(of: name) == nil }

    /// Names of one connection that are looked up; the others count as not known to lead there.
    private static let limit = 32
}

extension SessionContext {
    /// Has a name compared with the address that a redirected client wanted.
    ///
    /// - Returns: whether the answer is still to come. The name is never dialed.
    func awaitsAddress(of name: String) -> Bool {
        guard place.entrance.original != nil, IPAddress(host: name) == nil else { return false }
        if addresses.ask(name) { effect(.compare(name: name)) }
        return addresses.isAsked(name)
    }

    /// What is worth saying of a name at the address that was wanted; nil where it is known to lead there.
    func doubt(of name: String) -> RecordedDiagnosis? {
        guard let original = place.entrance.original, IPAddress(host: name) == nil else { return nil }
        let match = addresses.match(of: name)
        return match == .leads ? nil : RecordedDiagnosis(.otherAddress(original.host, than: name, match))
    }
}

extension Load {
    /// A request in the clear names its host itself: where that is not known to lead to the address, the law is asked about
    /// the address, too. One that waits until that is known is not touched.
    func noteAddress(in tunnel: Tunnel?, _ context: SessionContext) {
        guard let place = ruled.place, tunnel?.isTransparent == true, target.scheme == .http,
            !context.awaitsAddress(of: target.host), let doubt = context.doubt(of: target.host)
        else { return }
        alsoNamed = LoadTarget(scheme: .http, host: place.host, port: place.port)
        remark = remark?.adding(doubt) ?? doubt
    }
}

extension Tunnel {
    /// What its origin has to satisfy beside what `ruled` asks: the law on another host that its client named, with that
    /// host's certificate, or the law on the address, where the name is not known to lead there.
    func alsoAsked(beside ruled: TargetRuling, _ context: SessionContext) -> ConnectPermit? {
        if let alsoNamed { return context.ruled(on: alsoNamed, like: ruled).permit }
        guard isDoubtful, let place = ruled.place else { return nil }
        let address = LoadTarget(scheme: .https, host: place.host, port: place.port)
        return context.ruled(on: address, like: ruled).permit.asked(of: ruled.target)
    }
}

extension Finding {
    fileprivate static func otherAddress(_ address: String, than name: String, _ match: AddressMatch?) -> Finding {
        let trouble =
            switch match {
            case .elsewhere: "leads to other addresses, as the gate looks it up"
            case .unresolved: "has no address that the gate could look up in time"
            case .leads, nil: "was not looked up yet"
            }
        return seen(
            .clientAddress, "Name that is not known to lead to the address",
            expected: "a name that leads to \(address)",
            observed:
                "The client wanted \(address), and \(name) \(trouble). The address was dialed; by the law of both, "
                + "the stricter counts.",
            source: "docs/transparent.md#names")
    }
}
