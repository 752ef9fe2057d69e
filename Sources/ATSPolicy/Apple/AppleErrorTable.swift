/// The errors and console lines of each log generation for each kind of failure. Source: Apple, NSURLErrorDomain;
/// Security, SecBase.h; coreTLS, sslAlertMessage.c; docs/law/errors.md, docs/console-lines.md. If no known log has a
/// line for a case, the log is empty.
public enum AppleErrorTable {
    /// Returns the error that an app would get, and the lines that the console would show.
    ///
    /// - Parameter urlText: the URL to show, already masked.
    /// - Parameter facts: contains the certificates for the error, if the handshake got that far.
    public static func error(
        for failure: LoadFailure, target: LoadTarget, urlText: String, profile: OSProfile, facts: HandshakeFacts?,
        identifiers: LogIdentifiers, readings: AppleReadings = AppleReadings()
    ) -> AppleError {
        let console = AppleConsole(
            target: target, urlText: urlText, device: AppleDevice(profile, readings: readings),
            identifiers: identifiers)
        return switch failure {
        case .cleartext: console.cleartext()
        case .trust(.appPin, _): console.cancelled()
        case .trust(let rule, let isStrict) where isStrict || rule.consequence?.breach == .identity:
            console.strictTrust(rule, facts: facts)
        case .trust(let rule, _): console.laxTrust(rule, facts: facts)
        case .handshake(let failure, let rule): console.handshake(failure, rule: rule, facts: facts)
        case .network(let failure): console.network(failure)
        case .lost(let connection): console.lost(connection)
        case .malformedAnswer: console.malformedAnswer()
        }
    }
}
