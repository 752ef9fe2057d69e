import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Checks the verdicts of loads since its creation. ATSGATE_PAGE is the content of the file of `--web-url-file PATH`.
struct GateVerifier {
    struct Failure: LocalizedError, CustomStringConvertible {
        let description: String
        var errorDescription: String? { description }
    }

    private var request: URLRequest
    private let since = String(Int(Date().timeIntervalSince1970 * 1000))

    init(_ address: String? = ProcessInfo.processInfo.environment["ATSGATE_PAGE"]) throws {
        let page = URL(string: address?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "")
        let query = page.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }?.queryItems
        guard let token = query?.first(where: { $0.name == "token" })?.value,
            let url = URL(string: "/api/v1/verify", relativeTo: page)
        else { throw Failure(description: "ATSGATE_PAGE is not the address of atsgate's page") }
        request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    }

    /// Throws unless loads of these hosts were blocked by exactly these rules; without rules, unless all were allowed.
    func expect(refusedBy rules: [String] = [], host: String = "*") async throws {
        var request = request
        request.httpBody = try JSONSerialization.data(withJSONObject: ["host": host, "rules": rules, "since": since])
        let settings = URLSessionConfiguration.ephemeral
        settings.connectionProxyDictionary = [:]  // Connects to the page directly.
        let (data, _) = try await URLSession(configuration: settings).data(for: request)
        let answer = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        guard answer?["passed"] as? Bool != true else { return }
        let sentences = answer?["sentences"] as? [String] ?? [answer?["error"] as? String ?? "no answer"]
        throw Failure(description: "atsgate: " + sentences.joined(separator: "; "))
    }
}
