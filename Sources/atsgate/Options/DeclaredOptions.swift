import ArgumentParser

/// Declared options as an option group of a command, in the form that ArgumentParser reads.
///
/// ArgumentParser finds its property wrappers in a mirror of the group, and returns their values by decoding. Both are
/// derived from the declarations here, so that each option is declared once. Debug builds of ArgumentParser check a
/// group again for every group around it, so a flat group starts many times faster than nested ones.
struct DeclaredOptions<Catalogue: OptionCatalogue>: ParsableArguments, CustomReflectable {
    /// The values of the command line, in the order of the catalogue.
    private(set) var given: [GivenValue] = []

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: OptionKey.self)
        for option in Catalogue.list.options {
            for text in try option.texts(in: container) {
                given.append(GivenValue(option: option, text: text, origin: .commandLine))
            }
        }
    }

    func validate() throws {
        do {
            _ = try GateChoices(applying: [given])
        } catch {
            throw ValidationError(error.sentence)
        }
    }

    var customMirror: Mirror {
        let list = Catalogue.list
        guard FullHelp.isShown else {
            return Mirror(self, children: (FullHelp.isShownOnly ? list.told : list.arguments).map { ($0, $1) })
        }
        return Mirror(self, children: Catalogue.sections.map { (label: "_" + $0.title, value: $0.group) })
    }
}

/// One section with its title.
private struct SectionOptions<Section: OptionSection>: ParsableArguments, CustomReflectable {
    init() {}

    /// Runs only for help.
    init(from decoder: any Decoder) throws {
        _ = try decoder.container(keyedBy: OptionKey.self)
    }

    var customMirror: Mirror {
        Mirror(self, children: Section.options.map { (label: "_" + $0.name, value: $0.argument(told: true)) })
    }
}

extension OptionSection {
    fileprivate static var group: any Sendable { OptionGroup<SectionOptions<Self>>(title: title) }
}

/// The options of a command.
protocol OptionCatalogue: Sendable {
    static var sections: [any OptionSection.Type] { get }
    /// The options of all sections.
    static var list: OptionList { get }
}

/// Options with the properties that ArgumentParser reads, which are cached because it reads them many times.
struct OptionList: Sendable {
    /// In the order of help.
    let options: [GateOption]
    /// The options as properties for parsing, with the names of wrapped properties.
    fileprivate let arguments: [(label: String, value: any Sendable)]
    /// The options as properties for help.
    fileprivate let told: [(label: String, value: any Sendable)]

    init(_ sections: [any OptionSection.Type]) {
        let options = sections.flatMap { $0.options }
        func arguments(told: Bool) -> [(label: String, value: any Sendable)] {
            options.map { ("_" + $0.name, $0.argument(told: told)) }
        }
        self.options = options
        self.arguments = arguments(told: false)
        told = arguments(told: true)
    }
}

/// Names of options as keys of a decoder.
private struct OptionKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension GateOption {
    /// The option as a property of a parsable type would declare it. For parsing, an option with one value is a list,
    /// so that ``GateChoices/init(applying:)`` can refuse a second value.
    ///
    /// - Parameter told: true for help, the manual and completions.
    fileprivate func argument(told: Bool) -> any Sendable {
        if form.isFlag { return Flag(wrappedValue: false, name: names, help: help) }
        guard let bare = form.bare else {
            guard isRepeatable || !told else {
                return Option<String?>(name: names, help: help, completion: completion)
            }
            return Option<[String]>(wrappedValue: [], name: names, help: help, completion: completion)
        }
        return Option<String?>(name: names, defaultAsFlag: bare, parsing: .next, help: help, completion: completion)
    }

    /// The values from a command line.
    fileprivate func texts(in container: KeyedDecodingContainer<OptionKey>) throws -> [String] {
        let key = OptionKey(stringValue: name)
        if form.isFlag {
            return try container.decode(Flag<Bool>.self, forKey: key).wrappedValue ? ["true"] : []
        }
        guard form.bare != nil else { return try container.decode(Option<[String]>.self, forKey: key).wrappedValue }
        return try container.decode(Option<String?>.self, forKey: key).wrappedValue.map { [$0] } ?? []
    }

    private var names: NameSpecification {
        letter.map { [.customShort($0), .customLong(name)] } ?? .customLong(name)
    }

    private var help: ArgumentHelp {
        let facts = facts.isEmpty ? "" : " (\(facts.joined(separator: "; ")))"
        return ArgumentHelp(
            "\(summary)\(facts)", discussion: details.isEmpty ? nil : details, valueName: form.placeholder,
            visibility: isHidden ? .private : isOften ? .default : .seldom)
    }

    private var completion: CompletionKind {
        if let suggestion = form.suggestion { return suggestion.completion }
        if form.isFile { return .file() }
        return form.choices.isEmpty ? .default : .list(form.choices)
    }
}
