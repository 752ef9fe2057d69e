import Foundation
import XCTest

/// Asks a running atsgate, from a UI test, what became of the loads that the test has caused. Copy it into the UI test
/// target, start `atsgate proxy --web-url-file PATH`, and pass the address in PATH as ATSGATE_PAGE.
///
///     let gate = try GateVerifier()
///     app.buttons["Pay"].tap()
///     try gate.expectNothingBlocked(host: "*.example.com")
struct GateVerifier {
    private let page: URLComponents
    private let token: String
    private let begun = Date()

    init(_ address: String? = ProcessInfo.processInfo.environment["ATSGATE_PAGE"]) throws {
        page = try XCTUnwrap(URLComponents(string: address?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""))
        token = try XCTUnwrap(page.queryItems?.first { $0.name == "token" }?.value, "the page's address has a token")
    }

    /// No load of these hosts since the start of the test was refused, and there was one.
    func expectNothingBlocked(host: String = "*", file: StaticString = #filePath, line: UInt = #line) throws {
        try expect(rules: [], host: host, file: file, line: line)
    }

    /// Loads of these hosts were refused by exactly these rules.
    func expect(
        rules: [String], host: String = "*", file: StaticString = #filePath, line: UInt = #line
    ) throws {
        var url = page
        (url.path, url.query) = ("/api/v1/verify", nil)
        var request = URLRequest(url: try XCTUnwrap(url.url))
        request.httpMethod = "POST"
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let since = ISO8601DateFormatter().string(from: begun)
        request.httpBody = try JSONSerialization.data(withJSONObject: ["host": host, "rules": rules, "since": since])
        // The page is not to be asked through the gate itself.
        let session = URLSession(configuration: .ephemeral)
        session.configuration.connectionProxyDictionary = [:]
        let answered = XCTestExpectation(description: "the gate's answer")
        nonisolated(unsafe) var answer: [String: Any]?
        session.dataTask(with: request) { data, _, _ in
            answer = data.flatMap { try? JSONSerialization.jsonObject(with: $0) } as? [String: Any]
            answered.fulfill()
        }.resume()
        XCTAssertEqual(XCTWaiter().wait(for: [answered], timeout: 30), .completed, file: file, line: line)
        let sentences = (answer?["sentences"] as? [String])?.joined(separator: "; ") ?? "the gate gave no answer"
        XCTAssertEqual(answer?["passed"] as? Bool, true, sentences, file: file, line: line)
    }
}
