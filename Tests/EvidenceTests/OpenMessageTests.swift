import Evidence
import Testing

@Suite("Work for messages of many lines")
struct OpenMessageTests {
    private static let lines = Array(repeating: "    \"<cert(0x7f) s: a i: b>\",", count: 200).joined(separator: "\n")

    @Test("an error that stays open for many lines is searched a bounded number of times")
    func openErrorIsSearchedOnce() {
        let error =
            "2026-10-07 15:30:54.1+0200 A[1:2] Task \(Names.one) finished with error [-1200] "
            + "Error Domain=NSURLErrorDomain Code=-1200 UserInfo={NSErrorPeerCertificateChainKey=(\n"
        expectBoundedWork(Array(repeating: error + Self.lines, count: 4).joined(separator: "\n"))
    }

    @Test("an error of nscurl that stays open for many lines is searched a bounded number of times")
    func openErrorOfNSCurlIsSearchedOnce() {
        let title = """
            Starting ATS Diagnostics

            Configuring ATS Info.plist keys and displaying the result of HTTPS loads to https://api.shop.test.
            ================================================================================

            Default ATS Secure Connection

            """
        let test = """
            ---
            ATS Default Connection
            ATS Dictionary:
            {
            }
            Result : FAIL
            Error : Error Domain=NSURLErrorDomain Code=-1200 "x" UserInfo={NSErrorPeerCertificateChainKey=(

            """
        let tasks = expectBoundedWork(title + Array(repeating: test + Self.lines, count: 4).joined(separator: "\n"))
        #expect(tasks.count == 4 && tasks.allSatisfy { $0.source == .nscurl && $0.code == -1200 })
    }

    @discardableResult
    private func expectBoundedWork(_ log: String) -> [EvidenceTask] {
        var reader = EvidenceReader(log: "log")
        var tasks: [EvidenceTask] = []
        let bytes = Array(log.utf8)
        bytes.withUnsafeBytes { reader.read($0) { tasks.append($0) } }
        reader.finish { tasks.append($0) }
        #expect(reader.searchedBytes > bytes.count / 2, "the error is searched at all")
        #expect(reader.searchedBytes < 3 * bytes.count)
        return tasks
    }
}
