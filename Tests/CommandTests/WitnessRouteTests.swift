import Foundation
import Testing

/// Witness mode with other entrances than an HTTP proxy, and with a parent proxy.
@Suite("witness mode over other routes", .serialized, .timeLimit(.minutes(10)))
struct WitnessRouteTests {
    private let folder: Folder
    private let lab: Launch

    init() throws {
        folder = try Folder()
        lab = try Launch.lab(in: folder)
    }

    /// The reactions of clients with known behaviour.
    private static let known = [
        ("good12.lab.test", ["-k"], "accepted application-data"), ("good12.lab.test", [], "refused alert-48"),
        ("good.lab.test", ["-k"], "accepted application-data"), ("good.lab.test", [], "refused alert-48"),
        ("no-san.lab.test", ["-k"], "accepted application-data"),
    ]

    @Test("a SOCKS client is watched like an HTTP client, and so are its cleartext loads")
    func socks() throws {
        let gate = try Launch(
            [
                "proxy", "--config", "lab.conf", "--mode", "witness", "--listen", "phone=socks5://127.0.0.1:0",
                "--port-file", "port", "--json", "loads.jsonl", "--store", "none", "--web", "off",
            ], in: folder)
        try #require(gate.waits { !folder.read("port").isEmpty })
        let proxy = ["--socks5-hostname", "127.0.0.1:" + folder.read("port").trimmingCharacters(in: .newlines)]
        for (host, trust, expected) in Self.known {
            let record = try meet("https://\(host)/", proxy + trust, of: gate)
            #expect(Self.device(record) == expected, "\(host)")
            #expect(Self.text(record, "client", "label") == "phone")
        }
        let cleartext = try meet("http://cleartext.lab.test/", proxy, of: gate)
        #expect(Self.device(cleartext) == "accepted cleartext-request")
        #expect(cleartext["verdict"] as? String == "wouldBlock")
        #expect(gate.stop().prose.contains("witness: 4 origins of 1 device, 6 connections: 2 agree, 2 gate stricter"))
    }

    @Test("through a parent proxy the record has the ruling on the origin and the device's reaction")
    func parent() throws {
        let parent = try Launch(
            [
                "proxy", "--config", "lab.conf", "--mode", "witness", "--listen", "127.0.0.1:0", "--port-file", "up",
                "--store", "none", "--web", "off",
            ], in: folder)
        try #require(parent.waits { !folder.read("up").isEmpty })
        let place = "127.0.0.1:" + folder.read("up").trimmingCharacters(in: .newlines)
        let gate = try Launch(
            [
                "proxy", "--parent", "http://\(place)", "--extra-ca", "lab.conf.pem", "--mode", "witness", "--listen",
                "127.0.0.1:0", "--port-file", "port", "--json", "loads.jsonl", "--store", "none", "--web", "off",
            ], in: folder)
        try #require(gate.waits { !folder.read("port").isEmpty })
        let proxy = ["-x", "http://127.0.0.1:" + folder.read("port").trimmingCharacters(in: .newlines)]
        for (host, trust, expected) in Self.known {
            let record = try meet("https://\(host)/", proxy + trust, of: gate)
            #expect(Self.device(record) == expected, "\(host)")
            #expect(record["via"] as? String == place)
            #expect(record["verdict"] as? String == (host == "no-san.lab.test" ? "wouldBlock" : "allowed"))
        }
        #expect(gate.stop().prose.contains("witness: 3 origins of 1 device, 5 connections: 2 agree, 1 gate stricter"))
        #expect(parent.stop().status == 0)
    }

    /// Runs curl to its end, and waits for the record of its load.
    private func meet(_ url: String, _ options: [String], of gate: Launch) throws -> [String: Any] {
        let before = try records().count
        _ = try Binary.tool(["curl", "-sS", "--noproxy", "", "-o", folder.path("body")] + options + [url])
        try #require(gate.waits { ((try? records().count) ?? 0) > before })
        return try #require(try records().last)
    }

    private func records() throws -> [[String: Any]] {
        try folder.read("loads.jsonl").split(separator: "\n").compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }

    private static func device(_ record: [String: Any]) -> String {
        "\(text(record, "device", "outcome")) \(text(record, "device", "how"))"
    }

    private static func text(_ record: [String: Any], _ part: String, _ key: String) -> String {
        (record[part] as? [String: Any])?[key] as? String ?? "-"
    }
}
