import HTTPWire
import Text

/// Who may ask for what: told by a request's head, before anything else is looked at.
public struct AccessRules: Sendable {
    public let token: AccessToken
    /// Of the cookie. Browsers send cookies to every port of a host (RFC 6265 section 8.5), so that two gates need two
    /// names.
    let cookieName: String
    /// Other machines may change what this one may.
    let allowsChangesFromOthers: Bool
    /// Names that the gate itself is known by, besides addresses; only for what needs no token.
    let publicNames: Set<String>
    /// What needs no token may be asked for by any name.
    let takesAnyName: Bool

    /// - Parameters:
    ///   - port: that the page is served at.
    ///   - publicNames: lower-case host names, such as one that only the gate resolves.
    public init(
        token: AccessToken = AccessToken(), port: Int, allowsChangesFromOthers: Bool = false,
        publicNames: Set<String> = [], takesAnyName: Bool = false
    ) {
        self.token = token
        cookieName = "atsgate-\(port)"
        self.allowsChangesFromOthers = allowsChangesFromOthers
        self.publicNames = publicNames
        self.takesAnyName = takesAnyName
    }

    /// Why a request may not have `access`; nil where it may.
    func refusal(of request: WebRequest, for access: WebRoute.Access) -> WebProblem? {
        let fields = request.head.fields
        guard let host = fields.value(of: .host), isKnown(host, for: access) else {
            return WebProblem(421, "This host is not known here: use the address that atsgate printed.")
        }
        guard access != .anyone else { return nil }
        guard fields.values(of: .origin).allSatisfy({ $0.lowercased() == "http://\(host.lowercased())" }) else {
            return WebProblem(403, "Other sites have no say here.")
        }
        switch fields.value(named: "Sec-Fetch-Site") {
        case "same-origin", "none", nil: break
        default: return WebProblem(403, "Other sites have no say here.")
        }
        guard let proof = proof(in: fields) else {
            return WebProblem(401, "Open the address that atsgate printed: it holds a token.")
        }
        guard access == .changing else { return nil }
        // A browser names the page behind each request that is not a plain GET (Fetch, section 3.2); a script that
        // holds the token itself is no browser.
        guard proof == .bearer || fields.contains(.origin) else {
            return WebProblem(403, "A change needs the Origin header.")
        }
        guard allowsChangesFromOthers || request.isFromThisMachine else {
            return WebProblem(403, "Other machines may look but not change: start with --web-lan-changes.")
        }
        return nil
    }

    /// The field that makes a browser keep the token.
    var setCookie: String { "\(cookieName)=\(token.text); Path=/; HttpOnly; SameSite=Strict" }

    /// How a request shows the token.
    private enum Credential {
        case cookie, bearer
    }

    private func proof(in fields: FieldBlock) -> Credential? {
        if let given = fields.value(of: .authorization) {
            let words = given.split(separator: " ")
            return words.count == 2 && words[0].lowercased() == "bearer" && token.matches(words[1]) ? .bearer : nil
        }
        for line in fields.values(of: .cookie) {
            for pair in line.split(separator: ";") {
                let sides = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                if sides.count == 2, sides[0] == cookieName, token.matches(sides[1]) { return .cookie }
            }
        }
        return nil
    }

    /// A name can be made to point here by whoever owns it (DNS rebinding); an address can not.
    private func isKnown(_ host: String, for access: WebRoute.Access) -> Bool {
        guard let authority = try? Authority(host[...]) else { return false }
        let name = authority.host.lowercased()
        if name == "localhost" || IPAddress(name) != nil { return true }
        return access == .anyone && (takesAnyName || publicNames.contains(name))
    }
}
