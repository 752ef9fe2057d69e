import ATSPolicy
import Text

extension Explanation {
    /// One JSON object on one line, keys in a fixed order.
    public var json: String {
        JSONValue.object(
            [("url", .string(url.text))] + rulingMembers.prefix(1) + [("loader", .string(loader.rawValue))]
                + rulingMembers.dropFirst() + [("notes", .texts(notes + minorNotes))]
        ).text
    }

    /// Release and ruling without the load: the members that each row of a matrix repeats.
    var rulingMembers: [(key: String, value: JSONValue)] {
        let basis = ruling.basis
        let rule: RuleID? =
            switch ruling {
            case .permit: nil
            case .denial(let denial): denial.rule
            }
        return [
            ("os", .string(profile.name)),
            ("ruling", .string(isPermitted ? "permit" : "deny")),
            ("rule", .text(rule?.rawValue)),
            ("keyPath", .text(basis.keyPath)),
            ("entry", .text(basis.entry)),
            ("builtIn", .flag(basis.isBuiltIn)),
            ("local", .flag(basis.isLocal)),
            ("demands", demands.map(Self.json) ?? .null),
        ]
    }

    private static func json(_ demands: TLSDemands) -> JSONValue {
        .object([
            ("minimumTLS", .string(demands.minimumTLS.name)),
            ("forwardSecrecy", .flag(demands.forwardSecrecy)),
            ("strictTrust", .flag(demands.strictTrust)),
            ("certificateFloor", .flag(demands.certificateFloor)),
            ("suites", .texts(demands.suites.map(\.name))),
            ("pinned", .flag(demands.isPinned)),
        ])
    }
}
