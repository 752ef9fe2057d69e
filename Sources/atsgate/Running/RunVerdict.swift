import Records
import Reporting

/// How `run` ends: never with 0 when nothing was looked at, or something is missing.
struct RunVerdict {
    /// Of the command, as a shell tells it.
    let child: Int32
    let summary: ArchiveSummary
    /// Nothing was refused, or nothing but what is known or does not count.
    let passes: Bool
    /// Every report was written.
    let isReported: Bool
    /// It is fine when nothing came through.
    let allowsNoLoads: Bool

    var status: Int32 {
        if child != 0 { return child }
        if !summary.isComplete || !isReported { return 74 }
        if noLoads != nil { return 3 }
        return passes ? 0 : 1
    }

    /// What to say where nothing was judged; nil where something was, or need not be.
    var noLoads: String? {
        guard !allowsNoLoads, summary.filed == summary.verdicts[.outside, default: 0] else { return nil }
        let what =
            summary.filed == 0
            ? "no load came through the gate" : "no load that ATS governs came through the gate"
        return what + Self.advice
    }

    /// Sources: docs/ci/README.md, "When no load comes through".
    private static let advice = """
        , so nothing was judged: URLSession on Apple's systems and Java ignore proxy variables, Go on macOS the CA's. \
        Name the gate in the system's network settings, or with -Dhttps.proxyHost and -Dhttp.proxyHost for Java; or \
        pass --allow-no-loads
        """
}
