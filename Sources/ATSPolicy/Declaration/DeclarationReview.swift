import Text

/// Walks over the raw values of a declaration and collects what will not work as written.
struct DeclarationReview {
    private(set) var warnings: [DeclarationWarning] = []
    /// Key of the entry being read.
    private var entry: String?

    /// What is wrong inside `NSAppTransportSecurity`.
    static func inside(_ members: [PropertyMember]) -> [DeclarationWarning] {
        var review = DeclarationReview()
        review.globals(members)
        return review.warnings
    }

    /// What is wrong around it: keys of ATS at the top of an Info.plist have no effect.
    static func outside(_ top: [PropertyMember]) -> [DeclarationWarning] {
        var review = DeclarationReview()
        review.repeats(in: top.filter { $0.key == ATSKey.root }, under: nil)
        for member in top where member.key != ATSKey.root {
            if (ATSKey.global + ATSKey.exception).contains(member.key) || ATSKey.current(forLegacy: member.key) != nil {
                review.add(nil, member, "stands outside of \(ATSKey.root), where it has no effect")
            } else if ATSKey.nearest(to: member.key, among: [ATSKey.root]) != nil {
                review.add(nil, member, "is not a key that Apple knows; did you mean \(ATSKey.root)?")
            }
            review.nested(in: member.node, under: member.key)
        }
        return review.warnings
    }

    /// The dictionary counts at the top of a list only, not inside NSExtension or elsewhere (Apple,
    /// NSAppTransportSecurity; docs/law/keys.md#when-it-applies).
    private mutating func nested(in node: PropertyNode, under path: String) {
        switch node.value {
        case .dictionary(let members):
            for member in members {
                if member.key == ATSKey.root {
                    add(path, member, "has no effect there: it belongs at the top of the list")
                } else {
                    nested(in: member.node, under: path + "." + member.key)
                }
            }
        case .array(let items):
            for (index, item) in items.enumerated() { nested(in: item, under: "\(path).\(index)") }
        case .boolean, .integer, .real, .string, .data, .date: break
        }
    }

    private mutating func globals(_ members: [PropertyMember]) {
        let path = ATSKey.root
        repeats(in: members, under: path)
        for member in members {
            switch member.key {
            case ATSKey.arbitraryLoads, ATSKey.forMedia, ATSKey.inWebContent, ATSKey.localNetworking:
                boolean(member, under: path)
            case ATSKey.exceptionDomains:
                exceptions(member)
            case ATSKey.pinnedDomains:
                pins(member)
            case ATSKey.niapVersion:
                niap(member, under: path)
            default:
                unknown(member, under: path, among: ATSKey.global, elsewhere: ATSKey.exception)
            }
        }
    }

    /// The entries of NSExceptionDomains. Apple's texts: Security, SecProtocolConfiguration.m;
    /// docs/law/keys.md#messages-of-the-parser.
    private mutating func exceptions(_ list: PropertyMember) {
        guard case .dictionary(let entries) = list.node.value else {
            add(
                ATSKey.root, list,
                "must be a dictionary, but it is \(list.node.value.summary): no exception counts, global keys do",
                appleLog: "App Transport Security exceptions must be a dictionary")
            return
        }
        let path = ATSKey.root + "." + list.key
        repeats(in: entries, under: path)
        for member in entries {
            entry = member.key
            exception(member, under: path)
            entry = nil
        }
    }

    private mutating func exception(_ member: PropertyMember, under path: String) {
        keyShape(member, under: path)
        guard case .dictionary(let values) = member.node.value else {
            add(
                path, member,
                "must be a dictionary, but it is \(member.node.value.summary): the entry is skipped",
                appleLog: "App Transport Security exception must be a dictionary")
            return
        }
        let inner = path + "." + member.key
        repeats(in: values, under: inner)
        for value in values {
            switch value.key {
            case ATSKey.includesSubdomains, ATSKey.insecureHTTP, ATSKey.forwardSecrecy:
                boolean(value, under: inner)
            case ATSKey.minimumTLS:
                minimumTLS(value, under: inner)
            case ATSKey.certificateTransparency:
                add(
                    inner, value,
                    "is obsolete: 18.4 and later do not read it, and the system itself demands transparency")
            case ATSKey.exceptionNIAPVersion:
                niap(value, under: inner)
            default:
                unknown(value, under: inner, among: ATSKey.exception, elsewhere: ATSKey.global)
            }
        }
    }

    private mutating func pins(_ list: PropertyMember) {
        guard case .dictionary(let domains) = list.node.value else {
            add(ATSKey.root, list, "must be a dictionary, but it is \(list.node.value.summary): nothing is pinned")
            return
        }
        let path = ATSKey.root + "." + list.key
        for member in domains {
            guard case .dictionary = member.node.value else {
                add(path, member, "must be a dictionary, but it is \(member.node.value.summary)")
                continue
            }
        }
    }

    /// Names that can not match any host. Source: Security, SecProtocolConfiguration.m; docs/law/domains.md#matching,
    /// docs/law/addresses.md#address-keys.
    private mutating func keyShape(_ member: PropertyMember, under path: String) {
        let key = member.key
        if key.contains("://") {
            add(path, member, "never matches: write the host alone, without a scheme or a path")
        } else if key.utf8.contains(UInt8(ascii: "/")) {
            if AddressBlock(exceptionKey: key) == nil {
                add(
                    path, member, "never matches: \(AddressBlock.complaint(aboutExceptionKey: key))",
                    appleLog: "App Transport Security exception \(key) is not a valid CIDR notation.")
            }
        } else if key.utf8.contains(UInt8(ascii: "*")) || key.hasPrefix(".") {
            add(path, member, "never matches: there are no wildcards, NSIncludesSubdomains serves subdomains")
        } else if key.utf8.contains(UInt8(ascii: ":")), IPAddress(key) == nil {
            add(path, member, "never matches: write the host alone, without a port")
        } else if key.utf8.contains(where: { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }) {
            add(path, member, "never matches: hosts are compared in lower case")
        } else if key.utf8.contains(where: { $0 >= 0x80 }) {
            add(path, member, "never matches: write an international name in its xn-- form")
        } else if key.hasSuffix(".") {
            add(path, member, "matches only URLs that write the host with a trailing dot")
        }
    }
}

// MARK: - Single values

extension DeclarationReview {
    /// Source of the readings: Security, SecProtocolConfiguration.m; docs/law/keys.md#types-of-values.
    private mutating func boolean(_ member: PropertyMember, under path: String) {
        let appleLog = "App Transport Security value for key \(member.key) must be a boolean"
        switch member.node.value {
        case .boolean:
            return
        case .integer(0), .real(0):
            add(path, member, "is the number 0, which counts as false; write a Boolean")
        case .integer(1), .real(1):
            add(path, member, "is the number 1, which counts as true, but as false on 18.4; write a Boolean")
        case .integer, .real:
            add(
                path, member,
                "is \(member.node.value.summary), which counts as present and false; write a Boolean")
        case .string, .data, .date, .array, .dictionary:
            add(
                path, member,
                "must be a Boolean, but it is \(member.node.value.summary): it counts as absent (on 18.4 as false)",
                appleLog: appleLog)
        }
    }

    private mutating func minimumTLS(_ member: PropertyMember, under path: String) {
        guard case .string(let text) = member.node.value else {
            add(
                path, member,
                "must be a string, but it is \(member.node.value.summary): it is ignored, and TLSv1.2 stays",
                appleLog: "App Transport Security value for key \(member.key) must be a string")
            return
        }
        guard ValueReader.minimumTLS(of: member.node.value) == nil else { return }
        if ["DTLSv1.0", "DTLSv1.2"].contains(text) {
            add(path, member, "names a DTLS version; what that means for a load over TCP is not known")
        } else {
            add(path, member, "is \"\(text)\", which is none of TLSv1.0 to TLSv1.3: it is ignored, and TLSv1.2 stays")
        }
    }

    /// Source of the values: Apple, NSRequiresNIAPTLSPackageVersion; docs/law/niap.md#package-21.
    private mutating func niap(_ member: PropertyMember, under path: String) {
        guard case .string(let text) = member.node.value else {
            return add(path, member, "must be a string, but it is \(member.node.value.summary): it is ignored")
        }
        guard NIAPPackage(rawValue: text) != nil else {
            let known = NIAPPackage.allCases.map(\.rawValue).joined(separator: ", ")
            return add(path, member, "is \"\(text)\", which is none of \(known): it is ignored")
        }
        add(path, member, "has no effect before 26.4")
    }

    /// A key that nobody reads; the nearest real one is named.
    private mutating func unknown(
        _ member: PropertyMember, under path: String, among candidates: [String], elsewhere: [String]
    ) {
        if elsewhere.contains(member.key) {
            let place = elsewhere == ATSKey.global ? ATSKey.root : "an entry of \(ATSKey.exceptionDomains)"
            add(path, member, "has no effect here: it belongs in \(place)")
        } else if let current = ATSKey.current(forLegacy: member.key) {
            add(path, member, "is an old spelling that 18.4 and later do not read; write \(current)")
        } else if let near = ATSKey.nearest(to: member.key, among: candidates) {
            add(path, member, "is not a key that Apple knows; did you mean \(near)?")
        } else {
            add(path, member, "is not a key that Apple knows; it has no effect")
        }
    }

    /// Apple's readers silently take the last one of a repeated key.
    private mutating func repeats(in members: [PropertyMember], under path: String?) {
        var seen: [String: Int?] = [:]
        for member in members {
            if let first = seen[member.key] {
                let place = first.map { " (first on line \($0))" } ?? ""
                add(path, member, "is written more than once\(place); the last one counts")
            } else {
                seen.updateValue(member.keyLine, forKey: member.key)
            }
        }
    }

    private mutating func add(
        _ path: String?, _ member: PropertyMember, _ sentence: String, appleLog: String? = nil
    ) {
        warnings.append(
            DeclarationWarning(
                keyPath: path.map { $0 + "." + member.key } ?? member.key, line: member.keyLine ?? member.node.line,
                sentence: sentence, appleLog: appleLog, entry: entry))
    }
}
