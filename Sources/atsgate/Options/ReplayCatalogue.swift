/// What judges recorded loads again: the law, and what the app's own code has to say.
enum ReplayCatalogue: OptionCatalogue {
    static let sections: [any OptionSection.Type] = [ReplaySection.self, ReadingsSection.self]
    static let list = OptionList(sections)
}

/// What of the other sections counts without a network. Systems are the command's own: there may be several.
private enum ReplaySection: OptionSection {
    static let title = "Dictionary and system"

    static let options =
        (LawSection.options + LoadsSection.options).filter { names.contains($0.name) } + [FilesSection.store]

    private static let names: Set = ["policy", "app-overrides-trust", "app-pin"]
}
