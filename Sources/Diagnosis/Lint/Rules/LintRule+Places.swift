import ATSPolicy

extension LintRule {
    /// Keys beside NSAppTransportSecurity, or below a misspelt one.
    static let outsideKey = LintRule(
        "lint.outside-key", .error, title: "A key of ATS stands outside of NSAppTransportSecurity",
        source: "Apple, NSAppTransportSecurity; docs/law/keys.md#when-it-applies", .documented,
        example: LintExample(
            found: #"{"CFBundleIdentifier": "com.example.app", "NSAllowsArbitraryLoads": true}"#,
            silent: #"{"CFBundleIdentifier": "com.example.app", "NSAppTransportSecurity": {}}"#)
    ) { subject in
        subject.outsideWarnings.filter { $0.keyPath != ATSKey.root && !$0.isRepeat }.map {
            LintMark(LintPlace(keyPath: $0.keyPath, line: $0.line), "\($0.keyPath) \($0.sentence)")
        }
    }

    /// The file is neither an Info.plist nor a dictionary of ATS.
    static let noDeclaration = LintRule(
        "lint.no-declaration", .warning, title: "The file holds neither ATS keys nor those of an Info.plist",
        source: "Apple, NSAppTransportSecurity; docs/law/keys.md#when-it-applies", .documented,
        example: LintExample(found: #"{"servers": ["a.example.com"]}"#, silent: #"{"NSAppTransportSecurity": {}}"#)
    ) { subject in
        // With members, or a second NSAppTransportSecurity, the dictionary was found.
        guard subject.globals.isEmpty else { return [] }
        return subject.outsideWarnings.filter { $0.keyPath == ATSKey.root && !$0.isRepeat }.map {
            LintMark(LintPlace(keyPath: $0.keyPath, line: $0.line), $0.sentence)
        }
    }

    /// Apple's readers take the last one in silence.
    static let repeatedKey = LintRule(
        "lint.repeated-key", .warning, title: "A key is written more than once; only the last one counts",
        source: "Apple, CFPropertyList.c; docs/law/keys.md#types-of-values", .observed,
        example: LintExample(
            found: #"{"NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoads": false}"#,
            silent: #"{"NSAllowsArbitraryLoads": false}"#)
    ) { subject in
        var marks = subject.outsideWarnings.filter(\.isRepeat).map {
            LintMark(LintPlace(keyPath: $0.keyPath, line: $0.line), "\($0.keyPath) \($0.sentence)")
        }
        marks += repeats(in: subject.globals) { subject.place(of: $0) }
        for list in [subject.entries, subject.pins] {
            let places = list.map(\.member)
            marks += repeats(in: places) { LintEntry(list: list.first?.list ?? "", member: $0).place }
            for entry in list { marks += repeats(in: entry.values ?? []) { entry.place(of: $0) } }
        }
        return marks
    }

    /// A build setting that nobody filled in.
    static let unresolvedVariable = LintRule(
        "lint.unresolved-variable", .error, title: "A placeholder was not replaced",
        source: "Security, SecProtocolConfiguration.m; docs/law/domains.md#build-variables", .inferred,
        example: LintExample(
            found: #"{"NSExceptionDomains": {"$(API_HOST)": {"NSExceptionMinimumTLSVersion": "TLSv1.3"}}}"#,
            silent: #"{"NSExceptionDomains": {"api.example.com": {"NSExceptionMinimumTLSVersion": "TLSv1.3"}}}"#)
    ) { subject in
        variables(in: subject.globals, under: ATSKey.root)
    }

    private static func repeats(in members: [PropertyMember], place: (PropertyMember) -> LintPlace) -> [LintMark] {
        var seen: [String: Int?] = [:]
        return members.compactMap { member in
            guard let first = seen[member.key] else {
                seen.updateValue(member.keyLine, forKey: member.key)
                return nil
            }
            let line = first.map { ", first on line \($0)" } ?? ""
            return LintMark(place(member), "\(member.key) is written more than once\(line); the last one counts")
        }
    }

    private static func variables(in members: [PropertyMember], under path: String) -> [LintMark] {
        members.flatMap { member -> [LintMark] in
            let place = LintPlace(keyPath: path + "." + member.key, line: member.keyLine ?? member.node.line)
            let isKey = member.key.isUnresolved
            return (isKey ? [LintMark(place, "the key \(member.key) \(unreplaced)")] : [])
                + variables(in: member.node, called: member.key, at: place)
        }
    }

    private static func variables(in node: PropertyNode, called name: String, at place: LintPlace) -> [LintMark] {
        switch node.value {
        case .string(let text):
            text.isUnresolved ? [LintMark(place, "\(name) is \"\(text)\", which \(unreplaced)")] : []
        case .dictionary(let members):
            variables(in: members, under: place.keyPath)
        case .array(let items):
            items.enumerated().flatMap { index, item in
                let inner = LintPlace(keyPath: "\(place.keyPath).\(index)", line: item.line ?? place.line)
                return variables(in: item, called: name, at: inner)
            }
        case .boolean, .integer, .real, .data, .date:
            []
        }
    }

    private static let unreplaced = "is a placeholder that no build has replaced"
}

extension String {
    /// Xcode's two ways of writing a build setting, and those of templates: `{{host}}`, `@HOST@`.
    var isUnresolved: Bool {
        if contains("$(") || contains("${") || (contains("{{") && contains("}}")) { return true }
        let words = split(separator: "@", omittingEmptySubsequences: false).dropFirst().dropLast()
        return words.contains {
            !$0.isEmpty && $0.allSatisfy { $0 == "_" || ($0.isASCII && ($0.isUppercase || $0.isNumber)) }
        }
    }
}

extension LintSubject {
    /// What the reader of the file said about keys around the dictionary: those keys are not part of a declaration.
    fileprivate var outsideWarnings: [DeclarationWarning] {
        declaration.warnings.filter { !$0.keyPath.hasPrefix(ATSKey.root + ".") }
    }
}

extension DeclarationWarning {
    fileprivate var isRepeat: Bool { sentence.contains("more than once") }
}
