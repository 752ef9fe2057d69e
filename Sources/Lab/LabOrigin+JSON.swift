import ATSPolicy
import Text

extension LabOrigin {
    /// One line. The keys are those of ``Lab/json(logList:)``.
    func json(logList: String?) -> JSONValue {
        .object([
            ("name", .text(name)), ("scheme", .text(scheme.rawValue)), ("port", .number(port)),
            ("realPort", .number(realPort)), ("url", .text(url)), ("flaw", .text(flaw)),
            ("expectedVerdict", .text(expectedVerdict)), ("rule", .text(rule?.rawValue)),
            ("appleError", expectation(on: .newest).appleError),
            ("exception", minimalException.map(Self.exception) ?? .null), ("connectTo", .text(connectTo)),
            ("olderSystems", olderSystems), ("ruleDespiteException", .text(ruleDespiteException?.rawValue)),
            ("redirect", .text(redirect)), ("publicKeys", publicKeys), ("ctLogs", .text(logList)),
            ("expectations", expectations), ("underNIAP", underPackage),
        ])
    }

    private var olderSystems: JSONValue {
        let profiles = OSProfile.all.filter(passesWithException)
        guard minimalException == nil, let fix = profiles.first.flatMap(minimalException) else { return .null }
        return .object([
            ("profiles", .array(profiles.map { .text($0.name) })), ("exception", Self.exception(fix)),
        ])
    }

    private var publicKeys: JSONValue {
        guard let leafKey else { return .null }
        return .object([("leaf", .text(leafKey)), ("authorities", .array(authorityKeys.map { .text($0) }))])
    }

    /// The verdict and rule on the newest release if the app requires NIAP's package; null if it makes no difference.
    private var underPackage: JSONValue {
        let expected = expectationUnderNIAP(on: .newest)
        guard expected != expectation(on: .newest) else { return .null }
        return .object([("verdict", .text(expected.verdict)), ("rule", .text(expected.rule?.rawValue))])
    }

    /// One object for each expectation, with the releases that it applies to.
    private var expectations: JSONValue {
        let differs = OSProfile.all.contains { expectation(on: $0, root: .system) != expectation(on: $0, root: .user) }
        let differsByLogs = OSProfile.all.contains { expectation(on: $0) != expectation(on: $0, isListed: true) }
        if differsByLogs {
            return .array(
                groups(.system, called: "roots", logs: "none")
                    + groups(.system, called: "roots", isListed: true, logs: "ct-logs")
                    + groups(.user, called: "extra-ca"))
        }
        guard differs else { return .array(groups(.system, called: "any")) }
        return .array(LabRoot.allCases.flatMap { groups($0, called: $0.rawValue) })
    }

    private func groups(
        _ root: LabRoot, called title: String, isListed: Bool = false, logs: String = "any"
    ) -> [JSONValue] {
        var groups: [(expectation: LabExpectation, profiles: [JSONValue])] = []
        for profile in OSProfile.all {
            let expected = expectation(on: profile, root: root, isListed: isListed)
            let name = JSONValue.text(profile.name)
            if let index = groups.firstIndex(where: { $0.expectation == expected }) {
                groups[index].profiles.append(name)
            } else {
                groups.append((expected, [name]))
            }
        }
        return groups.map { group in
            .object([
                ("root", .text(title)), ("logs", .text(logs)), ("profiles", .array(group.profiles)),
                ("verdict", .text(group.expectation.verdict)), ("rule", .text(group.expectation.rule?.rawValue)),
                ("appleError", group.expectation.appleError),
            ])
        }
    }

    /// The shape of a record's `remedy.exception`.
    private static func exception(_ fix: ExceptionFix) -> JSONValue {
        let settings = fix.settings.map { setting in
            switch setting.value {
            case .flag(let flag): (setting.key, JSONValue.flag(flag))
            case .text(let text): (setting.key, JSONValue.text(text))
            }
        }
        return .object([(fix.domain, .object(settings))])
    }
}

extension LabExpectation {
    fileprivate var appleError: JSONValue {
        guard let appleCode else { return .null }
        return .object([
            ("domain", .text("NSURLErrorDomain")), ("code", .number(appleCode)),
            ("streamErrorCode", streamErrorCode.map { .number($0) } ?? .null),
        ])
    }
}
