import ArgumentParser

/// Declared options as an option group of a command: what ArgumentParser sees of them.
///
/// ArgumentParser looks for its property wrappers in a mirror of the group, and hands their values over by decoding;
/// both are made of the declarations here, so that there is one place for an option. Its debug builds check each group
/// again for every group around it, so that a flat one starts many times faster than nested ones.
struct DeclaredOptions<Catalogue: OptionCatalogue>: ParsableArguments, CustomReflectable {
    /// What the command line says, in the order of the catalogue.
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
            return Mirror(self, children: (FullHelp.isTold ? list.told : list.arguments).map { ($0, $1) })
        }
        return Mirror(self, children: Catalogue.sections.map { (label: "_" + $0.title, value: $0.group) })
    }
}

/// One section, under its title.
private struct SectionOptions<Section: OptionSection>: ParsableArguments, CustomReflectable {
    init() {}

    /// Only asked for help.
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

/// Options that a command takes.
protocol OptionCatalogue: Sendable {
    static var sections: [any OptionSection.Type] { get }
    /// Of all sections.
    static var list: OptionList { get }
}

/// Options with what ArgumentParser sees of them, which is made once: it asks many times.
struct OptionList: Sendable {
    /// In the order of help.
    let options: [GateOption]
    /// Each with the name of a wrapped property.
    fileprivate let arguments: [(label: String, value: any Sendable)]
    /// The same for help.
    fileprivate let told: [(label: String, value: any Sendable)]

    init(_ sections: [any OptionSection.Type]) {
        let options = sections.flatMap { $0.options }
        func arguments(told: Bool) -> [(label: String, value: any Sendable)] {
            options.map { ("_" + $0.name, $0.argument(told: told)) }
                + (options.allSatisfy(\.isOften) ? [] : [("_" + FullHelp.name, FullHelp.argument)])
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
    /// The option as a property of a parsable type would declare it. To be parsed, one of a single value is a list: two
    /// are to be seen, and refused by ``GateChoices/init(applying:)``.
    ///
    /// - Parameter told: only for help, the manual and completions.
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

    /// The values that a command line gives it.
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
            visibility: isOften || FullHelp.isShown ? .default : .hidden)
    }

    private var completion: CompletionKind {
        if let suggestion = form.suggestion { return suggestion.completion }
        if form.isFile { return .file() }
        return form.choices.isEmpty ? .default : .list(form.choices)
    }
}
