/// All options, which `proxy` and `run` have.
enum GateCatalogue: OptionCatalogue {
    static let sections: [any OptionSection.Type] = [
        LawSection.self, ReadingsSection.self, LoadsSection.self, ListeningSection.self, PageSection.self,
        MonitoringSection.self, OriginsSection.self, FilesSection.self, WordsSection.self,
    ]
    static let list = OptionList(sections)
}

/// The options of commands that rule on loads.
enum LawCatalogue: OptionCatalogue {
    static let sections: [any OptionSection.Type] = [LawSection.self, ReadingsSection.self]
    static let list = OptionList(sections)
}

/// The options of commands that need only the local CA.
enum AuthorityCatalogue: OptionCatalogue, OptionSection {
    static let title = FilesSection.title
    static let options = [FilesSection.caDirectory.often]
    static let sections: [any OptionSection.Type] = [Self.self]
    static let list = OptionList(sections)
}

/// The options of commands for the files that atsgate creates.
enum OwnFilesCatalogue: OptionCatalogue, OptionSection {
    static let title = FilesSection.title
    static let options = [FilesSection.caDirectory.often, FilesSection.store.often]
    static let sections: [any OptionSection.Type] = [Self.self]
    static let list = OptionList(sections)
}

/// The options of commands that need only the store.
enum StoreCatalogue: OptionCatalogue, OptionSection {
    static let title = FilesSection.title
    static let options = [FilesSection.store.often]
    static let sections: [any OptionSection.Type] = [Self.self]
    static let list = OptionList(sections)
}
