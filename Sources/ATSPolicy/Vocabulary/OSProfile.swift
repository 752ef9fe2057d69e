/// An emulated OS generation: data with sources, no behaviour.
public struct OSProfile: Sendable, Hashable {
    /// Which implementation decided on that system (`ats-semantics.md` 0.3).
    public enum Engine: String, Sendable, Hashable {
        /// The published parser, 18.4 and later.
        case modern
    }

    /// Which set of console lines the system prints (6.6).
    public enum LogGeneration: String, Sendable, Hashable {
        case ios16to18 = "16-18"
        case ios26 = "26"
    }

    /// The name that `--os` takes, for example `ios26`.
    public let name: String
    /// For people, for example `iOS 26`.
    public let title: String
    public let engine: Engine
    /// Versions below this are refused whatever a declaration says (4.6).
    public let tlsFloor: TLSVersion
    public let newestTLS: TLSVersion
    /// The ATS group in the order offered (4.2).
    public let atsSuites: [CipherSuite]
    /// Added in front of the ATS group where forward secrecy is not required (2.3, 4.3).
    public let staticRSASuites: [CipherSuite]
    /// Offered where ATS does not narrow the list (4.4, inferred).
    public let systemSuites: [CipherSuite]
    /// A Boolean that is not exactly true or false counts as present and false, as in 18.4 (1.5).
    public let countsOddBooleansAsFalse: Bool
    /// Apple's own exceptions are registered (1.8).
    public let hasBuiltInExceptions: Bool
    public let logGeneration: LogGeneration
}
