import Reporting

/// How `run` ends: never with 0 when nothing was judged, or something is missing.
struct RunVerdict {
    /// Of the command, as a shell tells it.
    let child: Int32
    /// Every record is kept, and every report written.
    let isComplete: Bool
    let judgement: RunJudgement
    /// In witness mode a device did other than the gate said, and that counts.
    var differs = false

    var status: Int32 {
        if child != 0 { return child }
        guard isComplete else { return 74 }
        return differs ? Self.differingStatus : judgement.exitStatus
    }

    /// Before 1 and 3: a gate that is wrong about a device says nothing that counts about the app.
    private static let differingStatus: Int32 = 4
}

extension NothingJudged {
    /// What to say where nothing was judged, and what to do about it. Sources: docs/ci/README.md, "When no load comes
    /// through".
    var advice: String {
        let help =
            switch self {
            case .outsideOnly:
                "--outside judge judges clients that stand in for the app; --allow-no-loads lets the run pass"
            case .noLoads:
                """
                URLSession on Apple's systems, Java, and fetch of Node before 22.21 (or 24) ignore proxy variables, Go on \
                macOS the CA's. \(Self.captureAdvice)Name the gate in the system's network settings, or with -Dhttps.proxyHost and \
                -Dhttp.proxyHost for Java; or pass --allow-no-loads
                """
            case .certificatesRefused:
                "have the client trust what atsgate ca export gives, or name pinned hosts with --passthrough"
            case .abandoned:
                "have the command wait for its loads, those in the background too; or pass --allow-no-loads"
            case .unreached, .failedOnDevice, .broken: "the report tells each; or pass --allow-no-loads"
            }
        return "\(sentence): \(help)"
    }

    #if os(Linux)
    private static let captureAdvice = "Give --capture, which catches what ignores the variables. "
    #else
    private static let captureAdvice = ""
    #endif
}
