import ATSPolicy
import Records
import Text

/// Comma-separated values by RFC 4180: a header, and a row for each target and release.
enum ProbeCSV {
    static func render(_ results: [ProbeResult]) -> String {
        ([head] + results.map(row)).map(CSVText.row).joined()
    }

    private static let head = [
        "url", "os", "verdict", "rule", "code", "streamCode", "address", "tlsVersion", "cipherSuite", "group", "alpn",
        "exception", "message",
    ]

    private static func row(_ result: ProbeResult) -> [String] {
        let apple = result.verdict == .pass ? nil : result.diagnosis?.apple
        let facts = result.decisive?.facts
        return [
            result.target.url, result.system.name, result.verdict.rawValue, result.rule?.rawValue ?? "",
            apple.map { "\($0.code)" } ?? "", apple?.streamErrorCode.map { "\($0)" } ?? "",
            result.decisive?.origin?.address ?? "", facts?.version.name ?? "", facts?.suite.name ?? "",
            facts?.group ?? "", facts?.alpn ?? "", result.exception?.sentence ?? "", result.sentence ?? "",
        ]
    }
}
