import ATSPolicy

extension Explanation {
    /// One JSON object on one line, keys in a fixed order. Shape: design, section 4.
    public var json: String {
        JSONOutput.object(
            [("url", JSONOutput.string(url.text))] + rulingMembers.prefix(1)
                + [("loader", JSONOutput.string(loader.rawValue))] + rulingMembers.dropFirst()
                + [("notes", JSONOutput.array(notes))])
    }

    /// System and ruling, without the load: what a matrix repeats in each row.
    var rulingMembers: [(key: String, value: String)] {
        let basis = ruling.basis
        let rule: RuleID? =
            switch ruling {
            case .permit: nil
            case .denial(let denial): denial.rule
            }
        return [
            ("os", JSONOutput.string(profile.name)),
            ("ruling", JSONOutput.string(isPermitted ? "permit" : "deny")),
            ("rule", JSONOutput.optional(rule?.rawValue)),
            ("keyPath", JSONOutput.optional(basis.keyPath)),
            ("entry", JSONOutput.optional(basis.entry)),
            ("builtIn", JSONOutput.boolean(basis.isBuiltIn)),
            ("local", JSONOutput.boolean(basis.isLocal)),
            ("demands", demands.map(Self.json) ?? "null"),
        ]
    }

    private static func json(_ demands: TLSDemands) -> String {
        JSONOutput.object([
            ("minimumTLS", JSONOutput.string(demands.minimumTLS.name)),
            ("forwardSecrecy", JSONOutput.boolean(demands.forwardSecrecy)),
            ("strictTrust", JSONOutput.boolean(demands.strictTrust)),
            ("certificateFloor", JSONOutput.boolean(demands.certificateFloor)),
            ("suites", JSONOutput.array(demands.suites.map(\.name))),
            ("pinned", JSONOutput.boolean(demands.isPinned)),
        ])
    }
}

/// The few lines of JSON that this room writes; key order is kept. RFC 8259 section 7 for escapes.
enum JSONOutput {
    /// - Parameter members: values are JSON already.
    static func object(_ members: [(key: String, value: String)]) -> String {
        "{" + members.map { string($0.key) + ":" + $0.value }.joined(separator: ",") + "}"
    }

    /// An array of strings.
    static func array(_ texts: [String]) -> String {
        "[" + texts.map(string).joined(separator: ",") + "]"
    }

    /// `true` or `false`.
    static func boolean(_ flag: Bool) -> String { flag ? "true" : "false" }

    /// A string, or `null`.
    static func optional(_ text: String?) -> String { text.map(string) ?? "null" }

    /// Text in quotes, escaped.
    static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case let control where control.value < 0x20:
                let digits = String(control.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
