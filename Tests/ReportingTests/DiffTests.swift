import ATSPolicy
import Records
import Reporting
import Testing

@Suite("Two recordings compared")
struct DiffTests {
    private func trouble(
        _ host: String, _ rule: String?, _ verdict: Verdict = .blocked, _ loads: Int = 1
    ) -> HostOutcome {
        HostOutcome(host: host, rule: rule, verdict: verdict, loads: loads)
    }

    @Test("new, gone and changed outcomes are listed by host and rule; audit and enforce count as the same")
    func changes() {
        let before = [
            trouble("gone.test", "ats.tls-version"), trouble("left.test", "ats.tls-version"),
            trouble("new.test", nil, .allowed),
            trouble("changed.test", "ats.tls-version", .blocked, 2), trouble("same.test", "trust.expired", .wouldBlock),
            trouble("fine.test", nil, .allowed), trouble("net.test", "net.timeout", .failed),
        ]
        let after = [
            trouble("gone.test", nil, .allowed), trouble("new.test", "ats.cleartext-load", .blocked, 3),
            trouble("changed.test", "ats.forward-secrecy"), trouble("same.test", "trust.expired"),
            trouble("fine.test", nil, .allowed), trouble("net.test", nil, .allowed),
        ]
        let diff = RecordingDiff(("a", before), ("b", after))
        #expect(
            diff.written(as: .text) == """
                from a to b, by host: new 1, gone 3, changed 1, same 1

                NEW
                  new.test: blocked by ats.cleartext-load (3); no problem before

                GONE
                  gone.test: blocked by ats.tls-version (1); no problem now
                  left.test: blocked by ats.tls-version (1); not loaded now
                  net.test: failed by net.timeout (1); no problem now

                CHANGED
                  changed.test: blocked by ats.tls-version (2); now blocked by ats.forward-secrecy (1)

                """)
        #expect(diff.hasNewBlocks)
        #expect(!RecordingDiff(("a", before), ("a", before)).hasNewBlocks)
        #expect(!RecordingDiff(("b", after), ("c", [])).hasNewBlocks)
    }

    @Test("a table for a merge request and one JSON object have the same hosts")
    func formats() throws {
        let before = [trouble("gone|.test", "ats.tls-version"), trouble("a.test", nil, .allowed)]
        let after = [trouble("a.test", "trust.expired", .blocked, 3)]
        let diff = RecordingDiff(("a", before), ("b", after))
        #expect(
            diff.written(as: .markdown) == """
                ### atsgate: from a to b, by host: new 1, gone 1, changed 0, same 0

                | change | host | before | after |
                |---|---|---|---|
                | new, newly blocked | a.test | no problem | blocked by trust.expired (3) |
                | gone | gone\\|.test | blocked by ats.tls-version (1) | not loaded |

                """)
        let lines = diff.written(as: .jsonl).split(separator: "\n").joined(separator: ",")
        #expect(
            diff.written(as: .json) == """
                {"before":"a","after":"b","newlyBlocked":true,"same":0,"hosts":[\(lines)]}

                """)
        #expect(
            RecordingDiff(("a", before), ("a", before)).written(as: .markdown)
                == "### atsgate: from a to a, by host: new 0, gone 0, changed 0, same 1\n")
    }

    @Test("a blocked load that fails now is not a new block, and a failed load that is blocked now is one")
    func newBlocks() {
        let blocked = [trouble("a.test", "ats.tls-version")]
        let failed = [trouble("a.test", "net.timeout", .failed)]
        #expect(!RecordingDiff(("a", blocked), ("b", failed)).hasNewBlocks)
        #expect(RecordingDiff(("a", failed), ("b", blocked)).hasNewBlocks)
        #expect(
            RecordingDiff(("a", failed), ("b", blocked)).written(as: .jsonl) == """
                {"change":"changed","host":"a.test","before":[{"rule":"net.timeout","verdict":"failed","loads":1}],\
                "after":[{"rule":"ats.tls-version","verdict":"blocked","loads":1}],"inBoth":true,"newlyBlocked":true}

                """)
    }
}
