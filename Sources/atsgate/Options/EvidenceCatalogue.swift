import ATSPolicy
import ProxyServer

/// Options for importing a device's loads: the dictionary, the release and the store.
enum EvidenceCatalogue: OptionCatalogue {
    static let sections: [any OptionSection.Type] = [EvidenceSection.self, ReadingsSection.self]
    static let list = OptionList(sections)
}

/// Options for comparing them, also with the decisions of the app's own code.
enum ComparisonCatalogue: OptionCatalogue {
    static let sections: [any OptionSection.Type] = [ComparisonSection.self, ReadingsSection.self]
    static let list = OptionList(sections)
}

private enum EvidenceSection: OptionSection {
    static let title = "Dictionary and release"
    static let options = LawSection.options.filter { $0.name == "policy" } + [system, FilesSection.store.often]

    fileprivate static let system = GateOption("os", .system, sets: \.settings.profile, "The release of the device.")
        .details("For example ios17, ios18.2 or macos15.").standard("from the log, else the newest").often
}

private enum ComparisonSection: OptionSection {
    static let title = EvidenceSection.title
    static let options =
        (LawSection.options + LoadsSection.options).filter { names.contains($0.name) }
        + [EvidenceSection.system, FilesSection.store]

    private static let names: Set = ["policy", "app-overrides-trust", "app-pin"]
}

extension DeclaredOptions {
    /// The release given by `--os`; nil if it is not given, and for `auto`.
    ///
    /// - Throws: ``CommandFailure`` with 64.
    func namedSystem() throws(CommandFailure) -> OSProfile? {
        let variables = try EnvironmentVariables(of: Catalogue.list.options).values
        let isNamed = (variables + given).contains { $0.option.name == "os" }
        return isNamed ? try choices().settings.profile : nil
    }
}
