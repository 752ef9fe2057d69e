import ArgumentParser
import Text

/// A value from a configuration file or the environment.
struct ConfiguredValue {
    let option: DeclaredArgument
    let text: String
    /// The beginning of errors about it, as in `gate.conf:3` or `ATSGATE_OS`.
    let place: String

    /// - Parameter name: the name of the option, or of a reading, which is a value of `--reading`.
    /// - Returns: nil for an unknown name.
    init?(_ name: String, _ text: String, at place: String, among options: [DeclaredArgument]) {
        let isReading = ReadingOptions.isOne(name)
        guard let option = options.first(where: { $0.longName == (isReading ? ReadingOptions.name : name) }) else {
            return nil
        }
        self.option = option
        self.text = isReading ? "\(name)=\(text)" : text
        self.place = place
    }

    var name: String { option.longName ?? "" }

    /// The value as an argument; nil for a flag that is off.
    var word: String? {
        guard option.isFlag else { return "--\(name)=\(text)" }
        return text == "true" ? "--\(name)" : nil
    }

    /// Parses the values as the gate's options.
    ///
    /// - Throws: ``CommandFailure`` with 64 that names the place of the first invalid value.
    static func check(_ values: [ConfiguredValue]) throws(CommandFailure) {
        if let value = values.first(where: { $0.option.isFlag && !["true", "false"].contains($0.text) }) {
            throw .usage(
                "\(value.place): the value '\(value.text)' is invalid for '--\(value.name)': write true or false")
        }
        guard problem(of: values) != nil else { return }
        for value in values {
            guard let problem = problem(of: [value]) else { continue }
            throw .usage("\(value.place): \(problem)")
        }
    }

    private static func problem(of values: [ConfiguredValue]) -> String? {
        do {
            _ = try ProxyCommand.parse(values.compactMap(\.word))
            return nil
        } catch {
            return UsageErrorText.sentence(of: error, in: ProxyCommand.self)
        }
    }
}
