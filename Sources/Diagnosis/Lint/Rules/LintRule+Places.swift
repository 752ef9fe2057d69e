import ATSPolicy

extension LintRule {
    /// ATS keys next to NSAppTransportSecurity, or under a misspelt one.
    static let outsideKey = LintRule(
        "lint.outside-key", .error, title: "An ATS key is outside NSAppTransportSecurity",
        source: "Apple, NSAppTransportSecurity; docs/law/keys.md#when-it-applies", .documented,
        example: LintExample(
            found: #"{"CFBundleIdentifier": "com.example.app", "NSAllowsArbitraryLoads": true}"#,
            silent: #"{"CFBundleIdentifier": "com.example.app", "NSAppTransportSecurity": {}}"#)
    ) { subject in
        subject.declaration.strays.compactMap { stray in
            switch stray.kind {
            case .outside: stray.mark("is outside \(ATSKey.root), where it has no effect")
            case .misspelt: stray.mark("is not a known key; did you mean \(ATSKey.root)?")
            case .nested: stray.mark("has no effect there: it belongs at the top level")
            case .bare: stray.markOfBare(in: subject.declaration.source ?? "")
            case .repeated, .nothing: nil
            }
        }
    }

    /// A file that could set the dictionary, and does not.
    static let unset = LintRule(
        "lint.unset", .note, title: "The file does not set NSAppTransportSecurity, so the secure defaults apply",
        source: "Apple, NSAppTransportSecurity; docs/law/keys.md#when-it-applies", .documented,
        example: LintExample(
            found: #"{"CFBundleIdentifier": "com.example.app"}"#,
            silent: #"{"CFBundleIdentifier": "com.example.app", "NSAppTransportSecurity": {}}"#)
    ) { subject in
        guard subject.declaration.isUnset, let place = subject.declaration.place else { return [] }
        let path = [place.keyPath, ATSKey.root].filter { !$0.isEmpty }.joined(separator: ".")
        return [
            LintMark(
                LintLocation(keyPath: path, line: subject.declaration.line),
                "the \(place.file) does not set \(path), so the secure defaults of ATS apply")
        ]
    }

    /// The file is neither an Info.plist nor an ATS dictionary.
    static let noDeclaration = LintRule(
        "lint.no-declaration", .warning, title: "The file contains neither ATS keys nor Info.plist keys",
        source: "Apple, NSAppTransportSecurity; docs/law/keys.md#when-it-applies", .documented,
        example: LintExample(found: #"{"servers": ["a.example.com"]}"#, silent: #"{"NSAppTransportSecurity": {}}"#)
    ) { subject in
        subject.declaration.strays.filter { $0.kind == .nothing }.map {
            LintMark(
                LintLocation(keyPath: $0.keyPath, line: $0.line),
                "neither an ATS key nor an Info.plist key was found, so the secure defaults apply")
        }
    }

    /// Apple's readers use the last one without a message.
    static let repeatedKey = LintRule(
        "lint.repeated-key", .warning, title: "A key is written more than once; only the last one counts",
        source: "Apple, CFPropertyList.c; docs/law/keys.md#types-of-values", .observed,
        example: LintExample(
            found: #"{"NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoads": false}"#,
            silent: #"{"NSAllowsArbitraryLoads": false}"#)
    ) { subject in
        var marks = subject.declaration.strays.compactMap { stray -> LintMark? in
            guard case .repeated(let first) = stray.kind else { return nil }
            let place = first.map { " (first on line \($0))" } ?? ""
            return stray.mark("is written more than once\(place); the last one counts")
        }
        marks += repeats(in: subject.globals) { subject.place(of: $0) }
        for list in [subject.entries, subject.pins] {
            marks += repeats(in: list, key: \.key, line: \.member.keyLine) { $0.place }
            for entry in list { marks += repeats(in: entry.values ?? []) { entry.place(of: $0) } }
        }
        return marks
    }

    /// A build setting that the build did not replace.
    static let unresolvedVariable = LintRule(
        "lint.unresolved-variable", .error, title: "A placeholder was not replaced",
        source: "Security, SecProtocolConfiguration.m; docs/law/domains.md#build-variables", .inferred,
        example: LintExample(
            found: #"{"NSExceptionDomains": {"$(API_HOST)": {"NSExceptionMinimumTLSVersion": "TLSv1.3"}}}"#,
            silent: #"{"NSExceptionDomains": {"api.example.com": {"NSExceptionMinimumTLSVersion": "TLSv1.3"}}}"#)
    ) { subject in
        variables(in: subject.globals, under: ATSKey.root)
    }

    private static func repeats(in members: [PropertyMember], place: (PropertyMember) -> LintLocation) -> [LintMark] {
        repeats(in: members, key: \.key, line: \.keyLine, place: place)
    }

    private static func repeats<Written>(
        in list: [Written], key: (Written) -> String, line: (Written) -> Int?, place: (Written) -> LintLocation
    ) -> [LintMark] {
        guard list.count > 1 else { return [] }
        var seen: [String: Int?] = [:]
        return list.compactMap { written in
            guard let first = seen[key(written)] else {
                seen.updateValue(line(written), forKey: key(written))
                return nil
            }
            let words = first.map { ", first on line \($0)" } ?? ""
            return LintMark(place(written), "\(key(written)) is written more than once\(words); the last one counts")
        }
    }

    private static func variables(in members: [PropertyMember], under path: String) -> [LintMark] {
        members.filter(\.hasVariable).flatMap { member -> [LintMark] in
            let place = LintLocation(keyPath: path + "." + member.key, line: member.keyLine ?? member.node.line)
            let isKey = member.key.isUnresolved
            return (isKey ? [LintMark(place, "the key \(member.key) \(unreplaced)")] : [])
                + variables(in: member.node, called: member.key, at: place)
        }
    }

    private static func variables(in node: PropertyNode, called name: String, at place: LintLocation) -> [LintMark] {
        switch node.value {
        case .string(let text):
            text.isUnresolved ? [LintMark(place, "\(name) is \"\(text)\", which \(unreplaced)")] : []
        case .dictionary(let members):
            variables(in: members, under: place.keyPath)
        case .array(let items):
            items.enumerated().flatMap { index, item in
                let inner = LintLocation(keyPath: "\(place.keyPath).\(index)", line: item.line ?? place.line)
                return variables(in: item, called: name, at: inner)
            }
        case .boolean, .integer, .real, .data, .date:
            []
        }
    }

    private static let unreplaced = "is a placeholder that the build did not replace"
}

extension PropertyMember {
    /// True if its key or a text in its value has a placeholder.
    fileprivate var hasVariable: Bool { key.isUnresolved || node.hasVariable }
}

extension PropertyNode {
    fileprivate var hasVariable: Bool {
        switch value {
        case .string(let text): text.isUnresolved
        case .dictionary(let members): members.contains(where: \.hasVariable)
        case .array(let items): items.contains(where: \.hasVariable)
        case .boolean, .integer, .real, .data, .date: false
        }
    }
}

extension String {
    /// True if it contains a build setting as Xcode writes it, or a placeholder of a template: `{{host}}`, `@HOST@`.
    var isUnresolved: Bool {
        // Nearly no host contains these characters, so they are searched for first.
        let signs = (UInt8(ascii: "$"), UInt8(ascii: "{"), UInt8(ascii: "@"))
        guard utf8.contains(where: { $0 == signs.0 || $0 == signs.1 || $0 == signs.2 }) else { return false }
        if contains("$(") || contains("${") || (contains("{{") && contains("}}")) { return true }
        let words = split(separator: "@", omittingEmptySubsequences: false).dropFirst().dropLast()
        return words.contains {
            !$0.isEmpty && $0.allSatisfy { $0 == "_" || ($0.isASCII && ($0.isUppercase || $0.isNumber)) }
        }
    }
}

extension StrayKey {
    /// A bare dictionary is a valid policy, but a file that is named Info.plist is one.
    fileprivate func markOfBare(in source: String) -> LintMark {
        let isInfoPlist = source.hasSuffix("Info.plist")
        var mark = mark(
            isInfoPlist
                ? "is outside \(ATSKey.root), where it has no effect"
                : "is at the top level, and the file is read as a bare dictionary: an Info.plist needs \(ATSKey.root)"
                    + " around it")
        mark.severity = isInfoPlist ? nil : .note
        return mark
    }

    fileprivate func mark(_ words: String) -> LintMark {
        LintMark(LintLocation(keyPath: keyPath, line: line), "\(keyPath) \(words)")
    }
}
