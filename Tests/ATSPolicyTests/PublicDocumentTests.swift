import ATSPolicy
import Testing

@Suite("public documents")
struct PublicDocumentTests {
    @Test(
        "the first document of a source has an address",
        arguments: [
            ("Apple support 103769, 102028; docs/law/trust.md#validity-period", "https://support.apple.com/103769"),
            ("RFC 6960 sections 2.2 and 4.2.2.1; RFC 6066 section 8", "https://www.rfc-editor.org/rfc/rfc6960"),
            ("moona3k/macparakeet 969", "https://github.com/moona3k/macparakeet/issues/969"),
            ("openradar 28312964; docs/law/keys.md#wrong-keys", "https://openradar.appspot.com/28312964"),
            (
                "Apple, NSPinnedDomains; docs/law/pinning.md",
                "https://developer.apple.com/documentation/bundleresources/information-property-list/"
                    + "nsapptransportsecurity/nspinneddomains"
            ),
            (
                "Apple, NSIncludesSubdomains",
                "https://developer.apple.com/documentation/bundleresources/information-property-list/"
                    + "nsincludessubdomains"
            ),
            (
                "Security, SecBase.h; docs/law/errors.md#stream-codes",
                "https://github.com/apple-oss-distributions/Security/blob/Security-61901.0.87.0.1/base/SecBase.h"
            ),
        ])
    func address(source: String, expected: String) {
        #expect(PublicDocument(citedFirstIn: source)?.address == expected)
    }

    @Test(
        "a source without a known document has no address",
        arguments: ["", "atsgate", "public logs; docs/console-lines.md", "Security, none.c", "a/b/c 1", "a/b x"])
    func unknown(source: String) {
        #expect(PublicDocument(citedFirstIn: source) == nil)
    }

    @Test("the topic is the docs/ part, at any position")
    func topic() {
        #expect(PublicDocument.topic(of: "RFC 6960; docs/law/trust.md#revocation") == "docs/law/trust.md#revocation")
        #expect(PublicDocument.topic(of: "docs/verdicts.md") == "docs/verdicts.md")
        #expect(PublicDocument.topic(of: "RFC 9112") == nil)
    }
}
