import ATSPolicy
import Diagnosis
import Records
import Testing

@Suite("suggestion as a comment for a pull request")
struct SuggestionMarkdownTests {
    private func suggestion(
        _ loads: [LoadRecord], old: String, on system: OSProfile = .iOS17
    ) throws -> (Suggestion, String) {
        let old = try PastLoads.declaration(old)
        var suggester = Suggester(
            old: old, switches: JudgeSwitches(), appTrust: .systemOnly, mayAllowArbitraryLoads: false)
        for (index, load) in loads.enumerated() {
            let id = load.handshake == nil ? nil : Int64(index)
            suggester.add(PastLoads.group(load, on: system, handshake: id))
        }
        let suggestion = suggester.suggestion()
        return (suggestion, SuggestionWords(suggestion, old: old, recording: "night_ly").markdown)
    }

    private static let old = """
        {"NSAllowsArbitraryLoadsForMedia": true,
         "NSExceptionDomains": {
          "good.test": {"NSExceptionAllowsInsecureHTTPLoads": true},
          "both.test": {"NSExceptionAllowsInsecureHTTPLoads": true, "NSExceptionRequiresForwardSecrecy": false},
          "gone.test": {"NSExceptionAllowsInsecureHTTPLoads": true}}}
        """

    @Test("keys that can go have the loads that prove it, and hosts without a load are listed apart")
    func proof() throws {
        let loads = [
            PastLoads.good("good.test"), PastLoads.good("good.test"), PastLoads.cleartext("both.test"),
        ]
        let (suggestion, text) = try suggestion(loads, old: Self.old)
        #expect(
            suggestion.removed.map(\.words) == [
                "NSAllowsArbitraryLoadsForMedia", "good.test", "both.test NSExceptionRequiresForwardSecrecy",
                "gone.test",
            ])
        #expect(suggestion.removed.map(\.loads) == [0, 2, 1, 0])
        #expect(suggestion.removed.map(\.isProven) == [false, true, true, false])
        #expect(text.hasPrefix("### atsgate suggest: 2 keys can go, 2 not seen in the recording\n"))
        #expect(text.contains("Recording night\\_ly: the suggestion allows 3 of 3 loads on ios17."))
        #expect(
            text.contains("| good.test | 3 | 2 loads have the same result under the dictionary below: good.test |\n"))
        #expect(
            text.contains(
                "| both.test NSExceptionRequiresForwardSecrecy | 4 | 1 load has the same result under the dictionary below: both.test |"
            ))
        #expect(text.contains("- gone.test (line 5)\n"))
        #expect(text.contains("```diff\n--- ") && text.contains("\n-      <key>good.test</key>\n"))
        #expect(text.contains("<summary>Needed (1)</summary>") && !text.contains("\\u{9}"))
    }

    @Test("a key that the suggestion lacks is not proven if a load of it is lost")
    func lost() throws {
        let (suggestion, text) = try suggestion(
            [PastLoads.cleartext("203.0.113.1"), PastLoads.cleartext("a.test")],
            old: #"{"NSAllowsArbitraryLoads": true}"#, on: .iOS9)
        #expect(suggestion.removed.map(\.lost) == [1] && suggestion.removed.map(\.loads) == [2])
        #expect(text.hasPrefix("### atsgate suggest: no key can go\n"))
        #expect(text.contains("| NSAllowsArbitraryLoads | 1 | 1 of 2 loads would be lost: 203.0.113.1, a.test |"))
        #expect(text.contains("<summary>Loads that no key allows (1)</summary>"))
    }

    @Test("a dictionary that is already the smallest one is unchanged, and names cannot break the text")
    func unchanged() throws {
        let old = #"{"NSExceptionDomains": {"a.test": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#
        let (_, text) = try suggestion([PastLoads.cleartext("a.test")], old: old)
        #expect(text.contains("Unchanged: it is the smallest one for these loads.\n"))
        let forged = "{\"NSExceptionDomains\": {\"x|`</details>\\u0007\": {}, \"```\\n# a\": {}}}"
        let (_, escaped) = try suggestion([PastLoads.good("a.test")], old: forged)
        #expect(escaped.contains("- x\\|\\`\\</details\\>\\\\u{7} (line 1)\n"))
        #expect(!escaped.contains("\n# a"))
    }

    @Test("a comment stays below GitHub's limit with any number of entries")
    func limit() throws {
        let entries = (0..<400).map { #""host-\#($0).test": {"NSExceptionAllowsInsecureHTTPLoads": true}"# }
        let (suggestion, text) = try suggestion(
            (0..<30).map { PastLoads.cleartext("needed-\($0).test") },
            old: "{\"NSExceptionDomains\": {\(entries.joined(separator: ", "))}}")
        #expect(suggestion.removed.count == 400 && text.utf8.count < 65_536)
        #expect(text.contains(" more are not listed here.") && text.contains("atsgate suggest --format diff"))
    }
}
