import Reporting

/// The exit code of `run`: never 0 if nothing was judged, or something is missing.
struct RunVerdict {
    /// The status of the command, as a shell reports it.
    let child: Int32
    /// True if every record was kept, and every report written.
    let isComplete: Bool
    let judgement: RunJudgement
    /// True if a device and the gate differed, and this counts: in witness mode, or in a hello.
    var differs = false

    var status: Int32 {
        if child != 0 { return child }
        guard isComplete else { return 74 }
        return differs ? Self.differingStatus : judgement.exitStatus
    }

    /// Takes precedence over 1 and 3: if the gate is wrong about a device, its verdict on the app does not count.
    private static let differingStatus: Int32 = 4
}

extension NothingJudged {
    /// The reason why nothing was judged, and the advice. Sources: docs/ci/README.md, "When no load comes through".
    ///
    /// - Parameter isCaptured: true if `--capture` was given.
    func advice(isCaptured: Bool) -> String {
        let help =
            switch self {
            case .outsideOnly:
                "to judge such clients as the app, use --outside judge; to accept a run without loads, --allow-no-loads"
            case .decrypted:
                """
                let the proxy pass TLS through, for example mitmproxy with --set ignore_hosts='.*', or use it in a \
                second session without the gate
                """
            case .noLoads where isCaptured:
                """
                the command opened no connection that --capture catches (see atsgate explain capture). Make it wait \
                for its loads, also those in the background; or pass --allow-no-loads
                """
            case .noLoads:
                """
                URLSession on Apple platforms, Java, and fetch of Node before 22.21 (or 24) ignore proxy variables, Go \
                on macOS those for the CA. \(Self.captureAdvice)Set the gate as the proxy in the system's network \
                settings, or for Java with -Dhttps.proxyHost and -Dhttp.proxyHost; or pass --allow-no-loads
                """
            case .certificatesRefused:
                "make the client trust the output of atsgate ca export, or name pinned hosts with --passthrough"
            case .abandoned:
                "make the command wait for its loads, also those in the background; or pass --allow-no-loads"
            case .unreached, .failedOnDevice, .broken: "the report shows each; or pass --allow-no-loads"
            }
        return "\(sentence): \(help)"
    }

    #if os(Linux)
    private static let captureAdvice = "Use --capture, which also catches programs that ignore the variables. "
    #else
    private static let captureAdvice = ""
    #endif
}
