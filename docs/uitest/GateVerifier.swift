import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Asks atsgate what became of the loads since this was made. ATSGATE_PAGE is what `--web-url-file PATH` wrote to PATH.
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
        else { throw Failure(description: "ATSGATE_PAGE holds no address of a page") }
        request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    }

    /// Loads of these hosts were refused by exactly these rules; without a rule, there were loads, and none was refused.
    func expect(refusedBy rules: [String] = [], host: String = "*") async throws {
        var request = request
        request.httpBody = try JSONSerialization.data(withJSONObject: ["host": host, "rules": rules, "since": since])
        let settings = URLSessionConfiguration.ephemeral
        settings.connectionProxyDictionary = [:]  // The page is not asked through the gate.
        let (data, _) = try await URLSession(configuration: settings).data(for: request)
        let answer = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        guard answer?["passed"] as? Bool != true else { return }
        let sentences = answer?["sentences"] as? [String] ?? [answer?["error"] as? String ?? "no answer"]
        throw Failure(description: "atsgate: " + sentences.joined(separator: "; "))
    }
}
