import ATSPolicy
public import ArgumentParser
import Postgres
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
    /// One that gates share.
    case shared(PostgresAddress)

    /// `none`, a path, or the URI of a PostgreSQL server.
    init(argument: String) throws(ValueProblem) {
        guard !PostgresAddress.isOne(argument) else {
            do throws(PostgresAddress.Refusal) {
                self = .shared(try PostgresAddress(argument))
                return
            } catch {
                throw ValueProblem("\(error)")
            }
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
