import ATSPolicy
import Text

extension ValueKind<OSProfile?> {
    /// `auto`, or the name of any release from iOS 9 on.
    static let system = ValueKind(
        ValueForm(placeholder: "profile", suggestion: .systems),
        read: { (text: String) throws(ValueProblem) in
            if text.lowercased() == "auto" { return nil }
            if let profile = OSProfile.named(text) { return profile }
            // iOS and macOS number their builds separately: 24A435 is iOS 27, 26A428 is macOS 27 (public logs).
            guard text.wholeMatch(of: /[0-9]{2}[A-Z][0-9]{1,5}[a-z]?/) == nil else {
                throw ValueProblem(
                    "\(text) is a build number, which does not identify the platform: name the release, for example "
                        + OSProfile.newest.name)
            }
            let near = OSProfile.names(near: text).joined(separator: ", ")
            throw ValueProblem("\(text) is not a release with ATS; the nearest are \(near)")
        },
        write: { $0?.name ?? "auto" })
}

extension ValueKind<Loader> {
    static let loader = ValueKind.choice("loader")
}

extension ValueKind<Set<ConsoleVariant>> {
    /// Names separated by commas, or `none`.
    static let consoleVariants = ValueKind(
        ValueForm(placeholder: "list", choices: ["none"] + ConsoleVariant.allCases.map(\.rawValue)),
        read: { (text: String) throws(ValueProblem) in
            var variants: Set<ConsoleVariant> = []
            for part in text.split(separator: ",", omittingEmptySubsequences: false) where part != "none" {
                guard let variant = ConsoleVariant(rawValue: String(part)) else {
                    let names = ConsoleVariant.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ValueProblem("\"\(part)\" is not one of \(names), none")
                }
                variants.insert(variant)
            }
            return variants
        },
        write: { $0.isEmpty ? "none" : $0.map(\.rawValue).sorted().joined(separator: ",") })
}

extension ValueKind<[AddressBlock]> {
    /// CIDR ranges and words, separated by commas.
    static let networks = ValueKind(
        ValueForm(placeholder: "list"),
        read: { (text: String) throws(ValueProblem) in
            var blocks: [AddressBlock] = []
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                switch part {
                case "default": blocks += JudgeSwitches.defaultLocalNetworks
                case "on-link": blocks += JudgeSwitches.onLink
                case "any": blocks += JudgeSwitches.allNetworks
                case "none": continue
                default:
                    guard let block = AddressBlock(String(part)) else {
                        throw ValueProblem(
                            "\"\(part)\" is not a range such as 10.0.0.0/8, or one of default, on-link, any, none")
                    }
                    blocks.append(block)
                }
            }
            return blocks
        },
        write: { $0 == JudgeSwitches.defaultLocalNetworks ? "default" : nil })
}
