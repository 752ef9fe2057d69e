public import ATSPolicy
public import ArgumentParser
public import ProxyCore
public import Reporting
import Text

extension OSProfile: ExpressibleByArgument {
    public init?(argument: String) {
        guard let profile = OSProfile.named(argument) else { return nil }
        self = profile
    }

    public var defaultValueDescription: String { name }
    public static var allValueStrings: [String] { all.map(\.name) }
}

extension EnforcementMode: ExpressibleByArgument {}
extension RefusalStyle: ExpressibleByArgument {}
extension OtherUpgrades: ExpressibleByArgument {}
extension ReportFormat: ExpressibleByArgument {}

/// What `--assume` takes. `outside` is missing: ATS has nothing to say about such a client, so assuming it would only
/// switch the gate off.
enum AssumedLoader: String, ExpressibleByArgument, CaseIterable {
    case app, web, media

    var loader: Loader {
        switch self {
        case .app: .app
        case .web: .web
        case .media: .media
        }
    }
}

/// What `--web` takes until there is a page.
enum WebPage: String, ExpressibleByArgument, CaseIterable {
    case off
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
        self = argument == "none" ? .off : .file(argument)
    }
}

/// A host of `--passthrough`: exact, or `*.example.com` for everything below.
struct HostPattern: Sendable, Hashable {
    let text: String

    init(argument: String) throws(ValueProblem) {
        let name = argument.hasPrefix("*.") ? argument.dropFirst(2) : argument[...]
        let isHost = !name.isEmpty && !name.contains { "*/ \t".contains($0) }
        guard isHost, !name.contains(":") || IPAddress(name) != nil else {
            throw ValueProblem("write a host alone, as in api.example.com or *.example.com")
        }
        text = argument
    }
}

/// How much is said on standard error.
enum Verbosity: String, EnumerableFlag {
    case verbose, quiet

    static func help(for value: Verbosity) -> ArgumentHelp? {
        switch value {
        case .verbose: "Tell about loads that pass, too, and about the gate's own steps."
        case .quiet: "Say nothing but errors."
        }
    }

    static func name(for value: Verbosity) -> NameSpecification {
        switch value {
        case .verbose: .shortAndLong
        case .quiet: .shortAndLong
        }
    }
}
