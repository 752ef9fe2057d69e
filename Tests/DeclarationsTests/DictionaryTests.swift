import ATSPolicy
import Declarations
import Foundation
import Testing

/// The dictionaries in config/dictionaries have the effect that their comments describe.
struct DictionaryTests {
    private static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("config/dictionaries").path

    @Test(
        "each dictionary allows http to the documented hosts, and to no others",
        arguments: [
            ("strict", ["localhost"]),
            ("one-exception-domain", ["localhost", "legacy.example.com"]),
            ("arbitrary-loads", ["localhost", "legacy.example.com", "api.legacy.example.com", "203.0.113.1"]),
            ("local-networking", ["localhost"]),
            ("react-native", ["localhost"]),
        ])
    func frees(name: String, free: [String]) throws {
        let declaration = try DeclarationReader.readOne(path: "\(Self.folder)/\(name).plist")
        #expect(declaration.strays.isEmpty)
        let judge = Judge(declaration: declaration, profile: .newest)
        let hosts = ["localhost", "legacy.example.com", "api.legacy.example.com", "203.0.113.1"]
        let passed = hosts.filter { host in
            let target = LoadTarget(scheme: .http, host: host, port: 80)
            if case .permit = judge.rule(on: target, loader: .app) { return true }
            return false
        }
        #expect(passed == free)
    }
}
