/// What `proxy` and `run` take: every option there is.
enum GateCatalogue: OptionCatalogue {
    static let sections: [any OptionSection.Type] = [
        LawSection.self, ReadingsSection.self, LoadsSection.self, ListeningSection.self, PageSection.self,
        MonitoringSection.self, OriginsSection.self, FilesSection.self, WordsSection.self,
    ]
    static let list = OptionList(sections)
}

/// What everything takes that rules on loads.
enum LawCatalogue: OptionCatalogue {
    static let sections: [any OptionSection.Type] = [LawSection.self, ReadingsSection.self]
    static let list = OptionList(sections)
}

/// What works with the local CA alone.
enum AuthorityCatalogue: OptionCatalogue, OptionSection {
    static let title = FilesSection.title
    static let options = [FilesSection.caDirectory.often]
    static let sections: [any OptionSection.Type] = [Self.self]
    static let list = OptionList(sections)
}

/// What is about the files that atsgate makes for itself.
enum OwnFilesCatalogue: OptionCatalogue, OptionSection {
    static let title = FilesSection.title
    static let options = [FilesSection.caDirectory.often, FilesSection.store.often]
    static let sections: [any OptionSection.Type] = [Self.self]
    static let list = OptionList(sections)
}

/// What works with the store alone.
enum StoreCatalogue: OptionCatalogue, OptionSection {
    static let title = FilesSection.title
    static let options = [FilesSection.store.often]
    static let sections: [any OptionSection.Type] = [Self.self]
    static let list = OptionList(sections)
}
