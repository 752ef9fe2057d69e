import ProxyCore
import ProxyServer
import Text

/// One value of `--passthrough`.
enum PassthroughChoice: Sendable, Hashable {
    case host(HostPattern)
    case apple
    case none

    init(argument: String) throws(ValueProblem) {
        switch argument {
        case "apple": self = .apple
        case "none": self = .none
        default: self = .host(try HostPattern(argument: argument))
        }
    }
}

extension GateSettings {
    /// Hosts add up; of `apple` and `none` the last one counts.
    mutating func takePassthrough(_ choices: [PassthroughChoice]) {
        for choice in choices {
            switch choice {
            case .host(let pattern): rules.passthrough.append(pattern.text)
            case .apple: rules.appleServices = .everyone
            case .none: rules.appleServices = .nobody
            }
        }
    }
}
