/// Options for judging recorded loads again: the rules, and the decisions of the app's own code.
enum ReplayCatalogue: OptionCatalogue {
    static let sections: [any OptionSection.Type] = [ReplaySection.self, ReadingsSection.self]
    static let list = OptionList(sections)
}

/// Options of other sections that apply without a network. The command declares `--os` itself, because it takes
/// several.
private enum ReplaySection: OptionSection {
    static let title = "Dictionary and release"

    static let options =
        (LawSection.options + LoadsSection.options).filter { names.contains($0.name) } + [FilesSection.store]

    private static let names: Set = ["policy", "strict-roots", "app-overrides-trust", "app-pin"]
}
