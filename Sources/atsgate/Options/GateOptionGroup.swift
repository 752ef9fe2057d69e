import ArgumentParser

/// Options of the gate that other commands have, too. A command includes the groups that it needs, each with a title:
/// configuration files and variables set only options below a title.
///
/// Groups are not nested: debug builds of ArgumentParser check a group several times for each group around it.
protocol GateOptionGroup: ParsableArguments {
    /// Sets the given values.
    func apply(to choices: inout GateChoices)
}

/// A value that no error may repeat, because it may contain a password. The parser repeats the values that it rejects,
/// so an invalid value is refused in ``check(_:)``, after parsing.
struct SecretValue<Value: Sendable>: Sendable {
    private let result: Result<Value, ValueProblem>

    init(_ text: String, _ read: (String) throws(ValueProblem) -> Value) {
        result = Result { () throws(ValueProblem) in try read(text) }
    }

    /// nil if it is invalid.
    var value: Value? { try? result.get() }

    /// - Parameter option: as in `--store <path>`.
    /// - Throws: `ValidationError` if it is invalid.
    func check(_ option: String) throws {
        guard case .failure(let problem) = result else { return }
        throw ValidationError("the value is invalid for '\(option)': \(problem)")
    }
}

/// The value of a switch whose default is on.
enum OnOff: String, ExpressibleByArgument, CaseIterable {
    case on, off
}

extension String {
    /// - Throws: ``ValueProblem`` if it is empty.
    static func given(_ text: String) throws(ValueProblem) -> String {
        guard !text.isEmpty else { throw ValueProblem("it is empty") }
        return text
    }
}
