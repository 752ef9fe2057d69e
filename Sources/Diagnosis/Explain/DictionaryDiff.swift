public import ATSPolicy
import Text

/// The differences between two dictionaries: the rulings first, then the text.
public struct DictionaryDiff: Sendable {
    private let old: Declaration
    private let new: Declaration
    private let profile: OSProfile

    public init(from old: Declaration, to new: Declaration, on profile: OSProfile) {
        self.old = old
        self.new = new
        self.profile = profile
    }

    /// Each ruling that differs, and both dictionaries as XML with sorted keys, as `diff -u` writes them. Empty if they
    /// are equal.
    public var text: String {
        let diff = LineDiff(
            old: PropertyListText.document(old.members.sorted), new: PropertyListText.document(new.members.sorted)
        ).unified(oldName: Self.name(old), newName: Self.name(new))
        guard !diff.isEmpty else { return "" }
        let changes = changes
        let head = changes.isEmpty ? "No ruling changes on \(profile.title).\n" : "On \(profile.title):\n"
        return head + changes.joined() + "\n" + diff
    }

    /// Rulings that differ, for every host in either dictionary, for hosts under those, for any other host and for
    /// local ones: three lines each.
    private var changes: [String] {
        let judges = [old, new].map { Judge(declaration: $0, profile: profile) }
        let places = hosts.map { ($0, $0) } + [("any other host", "other.example"), ("a local host", "printer.local")]
        return places.flatMap { name, host in
            ["http", "https"].flatMap { scheme in
                guard let target = try? URLText.parse("\(scheme)://\(host)/").target else { return [String]() }
                var told: Set<String> = []
                return Loader.allCases.compactMap { loader in
                    let rulings = judges.map { $0.rule(on: target, loader: loader) }
                    guard !RulingSummary(rulings[0]).isAlike(RulingSummary(rulings[1])) else { return nil }
                    let words = Self.words(rulings)
                    // The app comes first; other loaders are listed only if their change differs.
                    guard told.insert(words).inserted else { return nil }
                    let asker = loader == .app ? "" : ", requested by \(loader.words)"
                    return "\(scheme) \(name)\(asker)".printable + "\n" + words
                }
            }
        }
    }

    /// Keys of exceptions and pins, and one host under each key that includes subdomains.
    private var hosts: [String] {
        let readings = [old, new].map { $0.interpreted(for: profile) }
        var names: Set<String> = []
        for reading in readings {
            for (key, entry) in reading.exceptions {
                names.insert(key)
                if entry.includesSubdomains == true { names.insert("any.\(key)") }
            }
            for pin in reading.pins {
                names.insert(pin.domain)
                if pin.includesSubdomains { names.insert("any.\(pin.domain)") }
            }
        }
        return names.sorted()
    }

    private static func words(_ rulings: [Ruling]) -> String {
        let lines = rulings.map { ruling in
            (RulingSummary(ruling).isPermitted ? "allowed: " : "blocked: ") + References.shown(ruling.summary)
        }
        let isHidden = lines[0] == lines[1]
        return "  - \(lines[0])\n  + \(lines[1])\(isHidden ? ", with other certificates or suites" : "")\n"
    }

    private static func name(_ declaration: Declaration) -> String {
        (declaration.source ?? "secure defaults").printable
    }
}
