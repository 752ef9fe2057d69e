/// A contradiction between sources about ATS, with its number in docs/contradictions.md, and how it is resolved.
public enum Contradiction: String, Sendable, Hashable, CaseIterable {
    case subdomainDepth = "C1"
    case localAddresses = "C2"
    case siblingKeys = "C3"
    case keySizeWithoutForwardSecrecy = "C4"
    case certificateScope = "C5"
    case suiteList = "C6"
    case versionCode = "C7"
    case legacySpellings = "C8"
    case addressKeys = "C9"
    case insecureTrust = "C10"
    case upgrade = "C11"
    case trailingDot = "C12"
    case letterCase = "C13"
    case handshakeFailureCode = "C14"
    case untrustedRootCode = "C15"
    case localNames = "C16"
    case localhostNames = "C17"
    case webLocalTrust = "C18"

    public enum Answer: Sendable, Hashable {
        /// The names of the switches that select the other reading.
        case switches([String])
        /// The reason why there is no switch.
        case settled(String)
    }

    /// The resolution of each contradiction; docs/contradictions.md lists the defaults.
    public var answer: Answer {
        switch self {
        case .versionCode:
            .settled(
                "the server's behaviour decides, and the gate sees it: alert 70 gives -9836; an answer with an older "
                    + "version gives -9801 on iOS 9 and 10, and -9836 later")
        case .upgrade: .settled("only betas of 2015 rewrote http to https; no release does")
        case .trailingDot:
            .settled("both sources are right: exceptions match the dot literally, pins and certificates ignore one")
        case .letterCase: .settled("both sources are right: exceptions are case-sensitive, pins are not")
        case .subdomainDepth, .localAddresses, .siblingKeys, .keySizeWithoutForwardSecrecy, .certificateScope,
            .suiteList, .legacySpellings, .addressKeys, .insecureTrust, .handshakeFailureCode, .untrustedRootCode,
            .localNames, .localhostNames, .webLocalTrust:
            .switches(JudgeSwitch.all.filter { $0.source == rawValue }.map(\.name))
        }
    }
}
