import ATSPolicy
import ProxyCore
import Testing

@Suite("the page of a blocked load")
struct PageTests {
    private func page(_ fields: String = "") throws -> String {
        let book = try Playbook(.strict)
        book.client("GET http://a.test/\(String(repeating: "x", count: 300)) HTTP/1.1\r\nHost: a.test\r\n\(fields)\r\n")
        book.end(records: 1)
        return book.clientReads()
    }

    @Test("the HTML page has readable labels, suits a phone and links to an explanation")
    func html() throws {
        let page = try page()
        #expect(page.contains("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"))
        #expect(page.contains("overflow-wrap:anywhere"))
        #expect(page.contains("<dt>A device would report</dt><dd>NSURLErrorDomain -1022</dd>"))
        #expect(page.contains("<dt>Or in the app's Info.plist</dt><dd>NSExceptionDomains"))
        #expect(page.contains("<a href=\"https://developer.apple.com/documentation/bundleresources/"))
        for name in page.matches(of: #/<dt>([^<]*)<\/dt>/#) {
            #expect(name.1.contains(" ") || name.1.first?.isUppercase == true, "\(name.1)")
        }
    }

    @Test("the JSON body keeps its key names")
    func json() throws {
        let page = try page("Accept: application/json\r\n")
        for name in ["url", "os", "rule", "error", "message", "serverFix", "exceptionFix", "explanation"] {
            #expect(page.contains("\"\(name)\":\""), "\(name)")
        }
    }
}
