import ATSPolicy
import Testing

@Suite("The line of a key")
struct LineTests {
    @Test(
        "is found by its path, even with dots in a host; nil for a key that is not in the file",
        arguments: [
            ("NSAllowsLocalNetworking", 1), ("NSExceptionDomains", 2), ("NSExceptionDomains.a.example.com", 2),
            ("NSExceptionDomains.a.example.com.NSIncludesSubdomains", 1), ("NSExceptionDomains.a", 1),
            ("NSExceptionDomains.a.NSIncludesSubdomains", nil), ("NSExceptionDomains.example.com", nil),
            ("NSAllowsArbitraryLoads", nil), ("", nil),
        ] as [(String, Int?)])
    func lines(path: String, line: Int?) throws {
        let declaration = try declaration([
            "NSAllowsLocalNetworking": true,
            "NSExceptionDomains": ["a": [:], "a.example.com": ["NSIncludesSubdomains": true]],
        ])
        #expect(declaration.line(of: "NSAppTransportSecurity." + path) == line)
        #expect(declaration.line(of: path) == nil)
    }
}
