import ATSPolicy
public import ArgumentParser
public import Records
public import Reporting
import Text

extension ReportFormat: ExpressibleByArgument {}
extension ReportGrouping: ExpressibleByArgument {}
extension Verdict: ExpressibleByArgument {}
extension LoadEntrance: ExpressibleByArgument {}

extension ConsoleStyle: ExpressibleByArgument {}

extension Retention: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(argument)
    }
}

/// Where records are kept.
enum StoreChoice: Sendable, Hashable {
    case off
    case file(String)

    /// `none`, or a path.
    init(argument: String) throws(ValueProblem) {
        guard !argument.hasPrefix("postgres://"), !argument.hasPrefix("postgresql://") else {
            throw ValueProblem("this version keeps its store in a file; name a path, or none")
        }
        guard !argument.isEmpty else { throw ValueProblem("it is empty") }
        self = argument == "none" ? .off : .file(argument)
    }
}

extension MaskPattern: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(argument)
    }

    /// - Throws: ``ValueProblem`` that says what is expected.
    init(option argument: String) throws(ValueProblem) {
        guard let pattern = MaskPattern(argument) else {
            throw ValueProblem("write a host, as in api.example.com or *.example.com, or a path, as in /users/*")
        }
        self = pattern
    }
}

extension HostPattern {
    init(argument: String) throws(ValueProblem) {
        guard let pattern = HostPattern(argument) else {
            throw ValueProblem("write a host alone, as in api.example.com or *.example.com")
        }
        self = pattern
    }
}
