import ATSPolicy

/// Lets tests write dictionaries as Swift literals. Line numbers count the members of each dictionary from 1.
extension PropertyValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral
{
    init(booleanLiteral value: Bool) { self = .boolean(value) }
    init(integerLiteral value: Int64) { self = .integer(value) }
    init(floatLiteral value: Double) { self = .real(value) }
    init(stringLiteral value: String) { self = .string(value) }
    init(arrayLiteral elements: PropertyValue...) { self = .array(elements.map { PropertyNode($0) }) }

    init(dictionaryLiteral elements: (String, PropertyValue)...) {
        self = .dictionary(
            elements.enumerated().map { offset, pair in
                PropertyMember(key: pair.0, keyLine: offset + 1, node: PropertyNode(pair.1, line: offset + 1))
            })
    }
}

/// The declaration with `value` as its NSAppTransportSecurity.
func declaration(_ value: PropertyValue) throws -> Declaration {
    let outer = PropertyMember(key: "NSAppTransportSecurity", keyLine: 1, node: PropertyNode(value, line: 1))
    return try Declaration(root: PropertyNode(.dictionary([outer]), line: 1), source: "Info.plist")
}

/// The rulings on `http` and `https` loads to one host.
struct Verdicts {
    let cleartext: Ruling
    let secure: Ruling

    init(
        _ value: PropertyValue, host: String, loader: Loader = .app, profile: OSProfile = .iOS26,
        switches: JudgeSwitches = JudgeSwitches()
    ) throws {
        let judge = Judge(declaration: try declaration(value), profile: profile, switches: switches)
        cleartext = judge.rule(on: LoadTarget(scheme: .http, host: host, port: 80), loader: loader)
        secure = judge.rule(on: LoadTarget(scheme: .https, host: host, port: 443), loader: loader)
    }

    var isCleartextAllowed: Bool { cleartext.permit != nil }
    var demands: TLSDemands? { secure.permit?.demands }
    var offer: TLSOffer? { secure.permit?.offer }
}

extension OSProfile {
    /// The profiles whose parser Apple has published.
    static let modern = all.filter { $0.engine == .modern }
}

extension Ruling {
    var permit: ConnectPermit? {
        if case .permit(let permit) = self { return permit }
        return nil
    }

    var denial: Denial? {
        if case .denial(let denial) = self { return denial }
        return nil
    }
}
