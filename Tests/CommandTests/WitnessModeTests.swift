import Foundation
import Processes
import Testing

/// Clients with known behaviour, before the lab's origins and a gate in witness mode.
@Suite("witness mode", .serialized, .timeLimit(.minutes(10)))
final class WitnessModeTests {
    private let folder: Folder
    private let lab: Launch
    private let gate: Launch
    private let proxy: String

    init() throws {
        folder = try Folder()
        lab = try Launch.lab(in: folder)
        gate = try Launch(
            [
                "proxy", "--config", "lab.conf", "--mode", "witness", "--listen", "127.0.0.1:0", "--port-file", "port",
                "--json", "loads.jsonl", "--store", "s.sqlite", "--web-url-file", "page", "--web", "127.0.0.1:0",
            ], in: folder)
        let (gate, folder) = (gate, folder)
        try #require(gate.waits { !folder.read("port").isEmpty && !folder.read("page").isEmpty })
        proxy = "127.0.0.1:" + folder.read("port").trimmingCharacters(in: .newlines)
    }

    /// A client: its command line, and its known reaction to origins that the rules allow.
    struct Client: Sendable, CustomTestStringConvertible {
        let name: String
        let words: [String]
        /// The reactions to `good12.lab.test` and `good.lab.test`, as in `refused alert-48`.
        let known: [String]

        var testDescription: String { name }
    }

    private static let accepts = ["accepted application-data", "accepted application-data"]
    private static let python = """
        import http.client, ssl, sys
        context = ssl.create_default_context(cafile=sys.argv[3] if len(sys.argv) > 3 else None)
        host, port = sys.argv[1].split(":")
        connection = http.client.HTTPSConnection(host, int(port), context=context)
        connection.set_tunnel(sys.argv[2], 443)
        connection.request("GET", "/")
        connection.getresponse().read()
        """
    private static let ask = "printf 'GET / HTTP/1.0\\r\\n\\r\\n' | "
    private static let openssl = "openssl s_client -quiet -proxy PROXY -connect HOST:443 -servername HOST"

    static let clients = [
        Client(
            name: "openssl", words: ["sh", "-c", "\(ask)\(openssl) -CAfile ROOT -verify_return_error"], known: accepts),
        Client(
            name: "openssl that doubts", words: ["sh", "-c", "\(ask)\(openssl) -verify_return_error"],
            known: ["refused alert-48", "refused alert-48"]),
        Client(
            name: "openssl that checks the name",
            words: ["sh", "-c", "\(ask)\(openssl) -CAfile ROOT -verify_return_error -verify_hostname other.test"],
            known: ["refused alert-42", "refused alert-42"]),
        Client(
            name: "curl", words: ["curl", "-sS", "-x", "http://PROXY", "--cacert", "ROOT", "https://HOST/"],
            known: accepts),
        Client(
            name: "curl of TLS 1.2",
            words: ["curl", "-sS", "--tls-max", "1.2", "-x", "http://PROXY", "--cacert", "ROOT", "https://HOST/"],
            known: ["accepted application-data", "refused hello-turned-down-70"]),
        Client(
            name: "curl with HTTP/1.1", words: ["curl", "-sSk", "--http1.1", "-x", "http://PROXY", "https://HOST/"],
            known: accepts),
        Client(
            name: "curl that doubts", words: ["curl", "-sS", "-x", "http://PROXY", "https://HOST/"],
            known: ["refused alert-48", "refused alert-48"]),
        Client(
            name: "curl of TLS 1.3 alone",
            words: ["curl", "-sSk", "--tlsv1.3", "-x", "http://PROXY", "https://HOST/"],
            known: ["refused hello-turned-down-70", "accepted application-data"]),
        Client(
            name: "curl with a pin",
            words: [
                "curl", "-sS", "-x", "http://PROXY", "--cacert", "ROOT", "--pinnedpubkey",
                "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "https://HOST/",
            ], known: ["refused closed-before-request", "refused closed-before-request"]),
        Client(name: "Python", words: ["python3", "-c", python, "PROXY", "HOST", "ROOT"], known: accepts),
        Client(
            name: "Python that doubts", words: ["python3", "-c", python, "PROXY", "HOST"],
            known: ["refused alert-48", "refused alert-48"]),
    ]

    private func records() throws -> [[String: Any]] {
        try folder.read("loads.jsonl").split(separator: "\n").compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }

    /// Runs a client to its end, and waits for the record of its load.
    private func meet(_ client: Client, _ host: String) throws -> [String: Any] {
        let before = try records().count
        _ = try Binary.tool(
            client.words.map {
                $0.replacing("PROXY", with: proxy).replacing("HOST", with: host)
                    .replacing("ROOT", with: folder.path("lab.conf.pem"))
            })
        try #require(gate.waits { ((try? records().count) ?? 0) > before })
        return try #require(try records().last)
    }

    @Test("each client's reaction is recorded, and the prediction follows the rules", arguments: clients)
    func told(client: Client) throws {
        for (host, known) in zip(["good12.lab.test", "good.lab.test"], client.known) {
            let record = try meet(client, host)
            let device = try #require(record["device"] as? [String: Any])
            #expect("\(device["outcome"] ?? "") \(device["how"] ?? "")" == known, "\(client.name), \(host)")
            #expect(record["verdict"] as? String == "allowed")
        }
    }

    @Test("the summary shows agreement and each difference; no load was blocked, and start, API and report state it")
    func end() throws {
        let trusting = Self.clients[3]
        _ = try meet(trusting, "good.lab.test")
        let weak = try meet(trusting, "no-san.lab.test")
        #expect(weak["verdict"] as? String == "wouldBlock")
        #expect(weak["refusal"] is NSNull)
        _ = try meet(Self.clients[6], "good12.lab.test")
        let state = try answer("/api/v1/state")
        #expect(state["mode"] as? String == "witness")
        #expect(state["enforces"] as? Bool == false)
        let outcome = gate.stop()
        #expect(outcome.status == 0)
        for line in [
            "warning: witness mode enforces nothing and decrypts nothing",
            "atsgate: witness: 3 origins of 1 device, 3 connections: 1 agree, 1 gate stricter, 1 gate laxer",
            "gate stricter: https://no-san.lab.test predicted would block (trust.no-san), 127.0.0.1 accepted",
            "gate laxer: https://good12.lab.test predicted allowed, 127.0.0.1 refused (alert-48, observed) 1 of 1",
        ] {
            #expect(outcome.prose.contains(line), "\(line)\n\(outcome.prose)")
        }
        let report = try Binary.run(["report", "--store", "s.sqlite"], in: folder)
        #expect(report.output.contains("Witness mode blocked nothing and decrypted no TLS: the verdicts of 3 loads"))
        #expect(!report.output.contains("Audit mode"))
        // The same count, from the store.
        #expect(report.output.contains("AGREEMENT  3 origins of 1 device, 3 connections\n"))
        #expect(report.output.contains("      1  agree\n        1  gate stricter\n        1  gate laxer\n"))
        #expect(
            report.output.contains("refused   alert-48          observed    1 of 1       127.0.0.1  https://good12"))
        let redacted = try Binary.run(["report", "--redact", "--format", "json", "--store", "s.sqlite"], in: folder)
        #expect(redacted.output.contains("\"answers\":{\"agree\":1,\"gate stricter\":1,\"gate laxer\":1"))
        #expect(!redacted.output.contains("lab.test"))
        let shown = try Binary.run(["recordings", "list", "--store", "s.sqlite"], in: folder)
        #expect(shown.output.contains("witness"))
    }

    /// A response of the live page's API.
    private func answer(_ path: String) throws -> [String: Any] {
        let page = try #require(URL(string: folder.read("page").trimmingCharacters(in: .whitespacesAndNewlines)))
        let token = try #require(page.fragment ?? page.query?.split(separator: "=").last.map(String.init))
        let output = folder.path("answer.json")
        let origin = "http://\(page.host ?? ""):\(page.port ?? 0)"
        #expect(
            try Binary.tool(["curl", "-s", "-o", output, "-H", "Authorization: Bearer \(token)", origin + path]) == 0)
        return try #require(
            try JSONSerialization.jsonObject(with: Data(folder.read("answer.json").utf8)) as? [String: Any])
    }

    @Test("the device page has the redirected addresses, and a command of run keeps its own roots")
    func pageAndRun() throws {
        let page = folder.path("witness.html")
        #expect(try Binary.tool(["curl", "-s", "-o", page, "http://\(proxy)/witness"]) == 0)
        #expect(folder.read("witness.html").contains("data-url=\"https://good.lab.test/\""))
        #expect(folder.read("witness.html").contains("data-url=\"http://cleartext.lab.test/\""))
        let run = try Binary.run(
            [
                "run", "--config", "lab.conf", "--mode", "witness", "--store", "none", "--", "sh", "-c",
                "echo \"$SSL_CERT_FILE|$NODE_EXTRA_CA_CERTS\"; env -u SSL_CERT_FILE curl -s https://good.lab.test/; true",
            ], in: folder, environment: ["SSL_CERT_FILE": "mine", "NODE_EXTRA_CA_CERTS": "yours"])
        #expect(run.output.contains("mine|yours\n"))
        #expect(run.prose.contains("1 gate laxer"), "\(run.prose)")
        #expect(run.status == 4)
    }

    @Test(
        "run ends with 4 only if a device and the gate differ",
        arguments: [
            // Allowed by the rules, accepted by the device.
            ("good.lab.test", "--cacert ROOT", [], 0),
            // Allowed by the rules, refused by the device.
            ("good.lab.test", "", [], 4),
            ("good.lab.test", "", ["--fail-on", "none"], 0), ("good.lab.test", "", ["--exit-zero"], 0),
            // Blocked by the rules, accepted by the device. Both are reported, and 4 wins.
            ("no-san.lab.test", "-k", [], 4),
            // Blocked by the rules, refused by the device.
            ("no-san.lab.test", "", [], 1),
            // A device that sends no request.
            ("", "", [], 3),
        ] as [(String, String, [String], Int32)])
    func differing(host: String, option: String, options: [String], status: Int32) throws {
        let trust = option.replacing("ROOT", with: folder.path("lab.conf.pem"))
        let script = host.isEmpty ? "true" : "curl -sS -o answer.html \(trust) https://\(host)/ || true"
        let words = ["run", "--config", "lab.conf", "--mode", "witness", "--store", "none"] + options
        let run = try Binary.run(words + ["--", "sh", "-c", script], in: folder)
        #expect(run.status == status, "\(run.prose)")
        #expect(run.prose.contains("witness: "))
        let quiet = try Binary.run(words + ["-q", "--", "sh", "-c", script], in: folder)
        #expect(quiet.status == status)
        #expect(quiet.prose.contains("witness: ") == (status != 0), "\(quiet.prose)")
    }
}
