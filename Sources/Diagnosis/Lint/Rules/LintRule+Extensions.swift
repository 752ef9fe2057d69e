import ATSPolicy
import Text

extension LintRule {
    /// An extension is a separate process, so the exceptions of its app do not apply to its loads.
    static let extensionWithoutException = LintRule(
        "lint.extension-without-exception", .note,
        title: "An extension does not have the exceptions of its app",
        source: "Apple, NSAppTransportSecurity; docs/law/keys.md#when-it-applies", .inferred,
        example: LintExample(
            found: "{}", silent: example, systems: nil, app: example)
    ) { subject in
        guard let app = subject.app else { return [] }
        let missing = subject.missingGrants(of: app) + subject.missingHosts(of: app).map(\.self)
        guard !missing.isEmpty else { return [] }
        return [
            LintMark(
                LintLocation(keyPath: ATSKey.root, line: subject.declaration.line),
                "this extension has its own dictionary, without exceptions of its app: \(missing.listed); ATS blocks"
                    + " loads of the extension that need them")
        ]
    }

    private static let example =
        #"{"NSExceptionDomains": {"a.example.com": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#
}

extension LintSubject {
    /// Global keys of the app that allow loads on the newest release, and that the extension does not have.
    fileprivate func missingGrants(of app: Declaration) -> [String] {
        let rulings = Loader.allCases.map { loader in
            (of(app).rule(on: Self.other, loader: loader), of(declaration).rule(on: Self.other, loader: loader))
        }
        let keys = rulings.compactMap { outer, own -> String? in
            guard case .permit(let permit) = outer, case .denial = own else { return nil }
            return permit.basis.keyPath?.split(separator: ".").last.map(String.init)
        }
        return keys.reduce(into: []) { unique, key in if !unique.contains(key) { unique.append(key) } }
    }

    /// Hosts of entries of the app whose loads the extension cannot make.
    fileprivate func missingHosts(of app: Declaration) -> [String] {
        let (outer, own) = (of(app), of(declaration))
        return LintEntry.list(ATSKey.exceptionDomains, in: app.members).filter { entry in
            guard entry.loosens, entry.fault == nil else { return false }
            let host = AddressBlock(exceptionKey: entry.key)?.network.description ?? entry.key
            return [LoadTarget.Scheme.http, .https].contains { scheme in
                let target = LoadTarget(scheme: scheme, host: host, port: scheme.defaultPort)
                return outer.rule(on: target, loader: .app).isLooser(than: own.rule(on: target, loader: .app))
            }
        }.map(\.key)
    }

    private func of(_ declaration: Declaration) -> Judge {
        Judge(declaration: declaration, profile: systems.newest)
    }

    /// A host without an entry: RFC 6761 reserves the name.
    private static let other = LoadTarget(scheme: .http, host: "host.invalid", port: 80)
}
