import Diagnosis
import Records
import Reporting
import Text

extension ArchiveSummary {
    /// The verdicts in one line, then a line for each problem with the records.
    ///
    /// - Parameter failedOnDevice: loads that would also fail on a device.
    func notice(storePath: String?, failedOnDevice: Int) -> String {
        var lines: [String] = []
        for recording in recordings {
            guard let storePath else { break }
            let store = storePath == DataDirectory.storePath ? "" : " --store \(storePath.shellWord)"
            lines.append("again: atsgate report\(store) --recording \(recording.shellWord)")
        }
        for sink in sinks where !sink.isComplete {
            let cause = sink.closeError ?? sink.firstError ?? "unknown"
            lines.append("error: \(sink.name) is missing \(sink.lost) records: \(cause)")
        }
        if faults > 0 {
            lines.append(
                "error: the gate itself failed in \(faults == 1 ? "1 load" : "\(faults) loads"), see gate.fault")
        }
        if late > 0 { lines.append("error: \(late) records arrived too late to be kept") }
        return verdictLine(failedOnDevice) + lines.map { "atsgate: \($0.printable)\n" }.joined()
    }

    /// The number of loads and their verdicts, in one line.
    private func verdictLine(_ failedOnDevice: Int) -> String {
        let counts = Verdict.allCases.compactMap { verdict in
            verdicts[verdict].map { loads in
                let also = verdict == .failed && failedOnDevice > 0 ? " (\(failedOnDevice) on a device, too)" : ""
                return "\(loads) \(verdict.words)" + also
            }
        }
        let loads = filed == 1 ? "1 load" : "\(filed) loads"
        let line = ([loads] + (counts.isEmpty ? [] : [counts.joined(separator: ", ")])).joined(separator: ": ")
        return "atsgate: \(line)\n"
    }
}

extension NothingJudged {
    /// The reason why `run` judged nothing, and the advice. Sources: docs/ci/README.md, "When no load comes through".
    ///
    /// - Parameter isCaptured: true if `--capture` was given, which is then not advised.
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
