public import ATSPolicy
public import ArgumentParser
import Diagnosis
import Postgres
public import ProxyCore
public import Records
public import Reporting
import Text

extension ReportFormat: ExpressibleByArgument {}
extension ReportGrouping: ExpressibleByArgument {}
extension Verdict: ExpressibleByArgument {}
extension LoadEntrance: ExpressibleByArgument {}
extension HelloReading.Kind: ExpressibleByArgument {}

extension Loader: ExpressibleByArgument {}
extension EnforcementMode: ExpressibleByArgument {}
extension RefusalStyle: ExpressibleByArgument {}
extension OutsideClients: ExpressibleByArgument {}
extension OtherUpgrades: ExpressibleByArgument {}
extension OtherTraffic: ExpressibleByArgument {}
extension DecryptedOrigins: ExpressibleByArgument {}
extension LoadExpectation: ExpressibleByArgument {}
extension ConsoleStyle: ExpressibleByArgument {}

/// The store for records.
enum StoreChoice: Sendable, Hashable {
    case off
    case file(String)
    /// A store that gates share.
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

    /// - Throws: ``ValueProblem`` with the expected form.
    init(option argument: String) throws(ValueProblem) {
        // Records contain international names in ASCII.
        let host = argument.utf8.allSatisfy { $0 < 0x80 } ? nil : try? WrittenHost(argument)
        guard let pattern = MaskPattern(argument.hasPrefix("/") ? argument : host?.spelling ?? argument) else {
            throw ValueProblem("write a host, as in api.example.com or *.example.com, or a path, as in /users/*")
        }
        self = pattern
    }
}

extension HostPattern {
    init(argument: String) throws(ValueProblem) {
        guard let pattern = HostPattern(try WrittenHost(option: argument).spelling) else {
            throw ValueProblem("write only a host, as in api.example.com or *.example.com")
        }
        self = pattern
    }
}

extension WrittenHost {
    init(option argument: String) throws(ValueProblem) {
        do throws(WrittenHostFault) { try self.init(argument) } catch { throw ValueProblem("\(error)") }
    }

    /// Reads a host that must be exact, so without `*` and `?`.
    static func single(option argument: String) throws(ValueProblem) -> String {
        let host = try WrittenHost(option: argument)
        guard !host.isPattern else { throw ValueProblem("\(WrittenHostFault.isPattern(argument))") }
        return host.spelling
    }
}
