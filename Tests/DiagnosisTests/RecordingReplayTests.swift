import ATSPolicy
import Diagnosis
import Records
import Testing

@Suite("replay of a recording")
struct RecordingReplayTests {
    private func replay(_ json: String, _ loads: [(LoadRecord, Int)]) throws -> RecordingReplay {
        let judge = Judge(declaration: try PastLoads.declaration(json), profile: .iOS26)
        var replay = RecordingReplay(LoadReplay(judge: judge))
        for (index, (load, count)) in loads.enumerated() {
            let id = load.handshake == nil ? nil : Int64(index)
            replay.add(PastLoads.group(load, on: .iOS26, handshake: id, loads: count))
        }
        return replay
    }

    @Test("loads are counted by their change, with the largest counts first")
    func counts() throws {
        let loads = [
            (PastLoads.cleartext("a.test"), 3), (PastLoads.staticRSA("b.test"), 5), (PastLoads.good("c.test"), 7),
            (PastLoads.staticRSAByChoice("d.test"), 2), (PastLoads.staticRSA("b.test"), 1),
            (PastLoads.expired("e.test"), 4),
        ]
        let free = try replay(#"{"NSAllowsArbitraryLoads":true}"#, loads)
        #expect(free.rows(.newlyAllowed).map(\.host) == ["b.test", "a.test"])
        #expect(free.rows(.newlyAllowed).map(\.loads) == [6, 3])
        #expect(free.rows(.newlyAllowed).map(\.key.rule) == [.forwardSecrecy, .cleartextLoad])
        #expect(free.loads(.same) == 13)
        #expect(free.rows(.newlyBlocked).isEmpty)
        let strict = try replay("{}", loads)
        #expect(strict.rows(.undecidable).map(\.host) == ["d.test"])
        #expect(strict.loads(.undecidable) == 2)
        let newest = try replay(
            #"{"NSExceptionDomains":{"b.test":{"NSExceptionMinimumTLSVersion":"TLSv1.3"}}}"#, loads)
        #expect(newest.loads(.newlyBlocked) == 0)
    }

    @Test("text and JSON list the loads, the reasons for unknown ones, and the probe commands")
    func words() throws {
        let loads = [
            (PastLoads.cleartext("a.test"), 2), (PastLoads.staticRSAByChoice("d.test"), 1),
            (PastLoads.good("c.test"), 1),
        ]
        let json = #"{"NSExceptionDomains":{"a.test":{"NSExceptionAllowsInsecureHTTPLoads":true}}}"#
        let words = ReplayWords(try replay(json, loads), recording: "nightly", policy: "My App.plist")
        #expect(
            words.json == """
                {"recording":"nightly","policy":"My App.plist","os":"ios26","newlyBlocked":[],"newlyAllowed":\
                [{"url":"http://a.test/","host":"a.test","rule":"ats.cleartext-load","loads":2}],"undecidable":\
                [{"url":"https://d.test/","host":"d.test","why":"the server chose \
                TLS_RSA_WITH_AES_256_GCM_SHA384; now 13 others are offered","probe":"atsgate probe --policy \
                'My App.plist' --os ios26 https://d.test","loads":1}],"same":1,"outside":0}
                """)
        #expect(
            words.text == """
                My App.plist on iOS 26: newly blocked 0, newly allowed 2, unknown 1, same 1

                NEWLY ALLOWED (2)
                        2  ats.cleartext-load  http://a.test/

                UNKNOWN (1)
                        1  https://d.test/
                           why  the server chose TLS_RSA_WITH_AES_256_GCM_SHA384; now 13 others are offered
                           try  atsgate probe --policy 'My App.plist' --os ios26 https://d.test

                """)
    }

    @Test(
        "a change depends on whether the load came through before and does now",
        arguments: [
            (ReplayVerdict.allowed, ReplayVerdict.blocked, RecordingReplay.Change.newlyBlocked),
            (.failed, .blocked, .newlyBlocked), (.blocked, .blocked, .same), (.blocked, .allowed, .newlyAllowed),
            (.failed, .allowed, .newlyAllowed), (.blocked, .failed, .same), (.allowed, .failed, .same),
            (.outside, .outside, .same), (.blocked, .undecidable, .undecidable),
        ])
    func changes(old: ReplayVerdict, new: ReplayVerdict, change: RecordingReplay.Change) {
        #expect(RecordingReplay.Change(from: old, to: new) == change)
    }
}
