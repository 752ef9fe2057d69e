import ATSPolicy

extension LintRule {
    /// A pinned root that no store has matches only while a server's chain is built over another certificate with its
    /// key.
    static let retiredPin = LintRule(
        "lint.retired-pin", .warning, title: "A pinned identity is the key of a root that is in no current store",
        source: "Apple support 103272; docs/law/trust.md#roots-by-release", .source,
        example: LintExample(
            found: list(["lCppFqbkrlJ3EcVFAkeip0+44VaoJUymbnOaEUk7tEU=", other]),
            silent: list(["hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=", other]))
    ) { subject in
        let newest = subject.systems.newest
        return subject.pinLists.flatMap { entry, member -> [LintMark] in
            guard case .array(let items) = member.node.value else { return [] }
            return items.enumerated().compactMap { position, item in
                guard let pin = item.pin, case .string(let text) = pin.node.value else { return nil }
                let roots = newest.roots.roots(withKey: text)
                guard let root = roots.first,
                    roots.allSatisfy({ $0.membership(on: newest.release) == .removed || $0.ios == .never })
                else { return nil }
                let place = entry.place(of: member)
                return LintMark(
                    LintLocation(
                        keyPath: "\(place.keyPath).\(position).\(pin.key)", line: pin.keyLine ?? item.line ?? place.line
                    ),
                    "identity \(position + 1) of \(entry.key) is the key of \(root.name), in Apple's store \(root.words): "
                        + "\(newest.title) builds no chain to it")
            }
        }
    }

    private static let other = "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="

    private static func list(_ values: [String]) -> String {
        let items = values.map { #"{"SPKI-SHA256-BASE64": "\#($0)"}"# }.joined(separator: ", ")
        return #"{"NSPinnedDomains": {"a.example.com": {"NSPinnedCAIdentities": [\#(items)]}}}"#
    }
}
