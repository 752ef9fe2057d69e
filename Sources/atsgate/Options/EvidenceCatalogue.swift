import ATSPolicy
import ProxyServer

/// What filing a device's loads needs: the dictionary, the system and the store.
enum EvidenceCatalogue: OptionCatalogue {
    static let sections: [any OptionSection.Type] = [EvidenceSection.self, ReadingsSection.self]
    static let list = OptionList(sections)
}

/// What comparing them needs: what the app's own code has to say, too.
enum ComparisonCatalogue: OptionCatalogue {
    static let sections: [any OptionSection.Type] = [ComparisonSection.self, ReadingsSection.self]
    static let list = OptionList(sections)
}

private enum EvidenceSection: OptionSection {
    static let title = "Dictionary and system"
    static let options = LawSection.options.filter { $0.name == "policy" } + [system, FilesSection.store.often]

    fileprivate static let system = GateOption("os", .system, sets: \.settings.profile, "The system of the device.")
        .details("For example ios17, ios18.2 or macos15.").standard("what the log tells, else the newest").often
}

private enum ComparisonSection: OptionSection {
    static let title = EvidenceSection.title
    static let options =
        (LawSection.options + LoadsSection.options).filter { names.contains($0.name) }
        + [EvidenceSection.system, FilesSection.store]

    private static let names: Set = ["policy", "app-overrides-trust", "app-pin"]
}

extension DeclaredOptions {
    /// The system that `--os` names; nil where nobody does, and for `auto`.
    ///
    /// - Throws: ``CommandFailure`` with 64.
    func namedSystem() throws(CommandFailure) -> OSProfile? {
        let variables = try EnvironmentVariables(of: Catalogue.list.options).values
        let isNamed = (variables + given).contains { $0.option.name == "os" }
        return isNamed ? try choices().settings.profile : nil
    }
}
