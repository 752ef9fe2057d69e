import Diagnosis
import Foundation
import Testing

@Suite("codes in pasted text")
struct NumbersInTextTests {
    @Test(
        "the codes of consoles, errors and frameworks are found, a code with its stream code as one",
        arguments: [
            ("Task <6FD0>.<1> finished with error [-1200] Error Domain=NSURLErrorDomain Code=-1200", ["-1200"]),
            ("NSURLErrorDomain Code=-1200 UserInfo={_kCFStreamErrorCodeKey=-9802}", ["-1200 [3:-9802]"]),
            ("[3:-9802]", ["3:-9802"]), ("Code=-1022", ["-1022"]), ("code:-1202, x", ["-1202"]),
            ("HTTP load failed (kCFStreamErrorDomainSSL, -9802)", ["-9802"]),
            ("HTTP load failed (error code: -1200 [3:-9802])", ["-1200 [3:-9802]"]),
            ("PlatformException(-1200, An SSL error, null)", ["-1200"]),
            (#"{"code": -1202, "domain": "NSURLErrorDomain"}"#, ["-1202"]),
            ("domain=NSURLErrorDomain, code=\u{2212}1202, failingURL=", ["-1202"]),
            ("errSSLFatalAlert at 12:30:05 on 2026-11-28, build 6FD0-1234", ["-9802"]),
            ("blocked: does not conform to App Transport Security policy requires", ["-1022"]),
            ("-11800 around -1022", ["-11800", "-1022"]), ("build -42 failed", []), ("", []),
        ])
    func forms(text: String, expected: [String]) {
        #expect(NumbersInText.find(in: text).map(\.text) == expected)
    }

    /// Negative numbers with four or more digits are codes on every page; with three, only -999 is.
    @Test("every code that a page of docs lists is known")
    func documented() throws {
        let folder = Corpus.top.appending(path: "docs")
        let walk = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var codes: Set<String> = []
        for case let file as URL in walk where file.pathExtension == "md" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for word in text.split(whereSeparator: { !$0.isLetter && !$0.isNumber && !"-:./_".contains($0) }) {
                let code = word.wholeMatch(of: /(-\d{4,6}|-999|\d{1,2}:-\d{1,5})[.:]*/)?.1
                if let code { codes.insert(String(code)) }
            }
        }
        #expect(codes.count > 50)
        let unknown = codes.filter { code in ErrorNumber(code).flatMap(NumberExplanation.init) == nil }
        #expect(unknown.isEmpty, "\(unknown.sorted())")
        for code in ["1:50", "1:54", "1:61", "12:8", "303", "310", "4:-2201"] {
            #expect(ErrorNumber(code).flatMap(NumberExplanation.init) != nil, "\(code)")
        }
    }
}
