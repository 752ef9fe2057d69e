import Foundation
import Processes
import Testing

/// Messages and behaviour of the commands for listeners, parent proxies and secrets.
@Suite("Listeners, parents and secrets", .timeLimit(.minutes(10)))
struct ListenerOptionTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    @Test("the start notice lists SOCKS listeners and the parent without its credentials, and warns of the key log")
    func startNotice() throws {
        let gate = try Launch(
            [
                "proxy", "--listen", "tv=socks5://127.0.0.1:0,assume=media", "--listen", "http://127.0.0.1:0",
                "--port-file", "port", "--parent", "http://reader:h%75sh@proxy.example:3128", "--keylog", "keys.log",
                "--store", "none",
            ], in: folder)
        #expect(gate.waits { !folder.read("port").isEmpty })
        let outcome = gate.stop()
        #expect(outcome.status == 0)
        #expect(outcome.prose.contains(/socks5:\/\/127\.0\.0\.1:\d+ \(tv, assume media\)/))
        #expect(outcome.prose.contains("http://***@proxy.example:3128"))
        #expect(!outcome.prose.contains("hush") && !outcome.prose.contains("reader"))
        #expect(outcome.prose.contains("TLS secrets are written to keys.log"))
        #expect(folder.read("port").split(separator: "\n").count == 2)
    }

    @Test("a gate with redirected clients only is not a proxy, and the start notice shows it")
    func onlyRedirected() throws {
        #if os(Linux)
        let gate = try Launch(
            [
                "proxy", "--listen", "transparent://127.0.0.1:0", "--port-file", "port", "--store", "none", "--web",
                "off",
            ],
            in: folder)
        #expect(gate.waits { !folder.read("port").isEmpty })
        let outcome = gate.stop()
        #expect(outcome.status == 0)
        #expect(outcome.prose.contains("proxy      none, and no page for devices; add --listen 127.0.0.1:9802"))
        #expect(!outcome.prose.contains("curl -x"))
        #endif
    }

    @Test("names are served to other machines only with --allow-lan, and only at a numeric address with a port")
    func names() throws {
        for place in ["192.0.2.1:9853", "localhost:9853", "127.0.0.1:0"] {
            let outcome = try Binary.run(["run", "--names", place, "--store", "none", "--", "true"], in: folder)
            #expect(outcome.status == 64, "\(place): \(outcome.prose)")
        }
        let foreign = try Binary.run(
            ["run", "--allow-lan", "--names", "192.0.2.1:9853", "--store", "none", "--", "true"], in: folder)
        #expect(foreign.status == 64 && foreign.prose.contains("names cannot be served at 192.0.2.1:9853"))
    }

    @Test("a --names port in use ends the start with 69")
    func namesTaken() throws {
        let (descriptor, port) = try Loopback.listener()
        defer { close(descriptor) }
        let place = "127.0.0.1:\(port)"
        let outcome = try Binary.run(["run", "--names", place, "--store", "none", "--", "true"], in: folder)
        #expect(outcome.status == 69)
        #expect(outcome.prose.contains("names cannot be served at \(place): \(place) is in use"))
    }

    @Test("a client key file that others can read causes a warning")
    func exposedKey() throws {
        let pem = folder.path("client.pem")
        let made = try Binary.tool(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj"]
                + ["/CN=a", "-keyout", pem, "-out", folder.path("a.pem")])
        #expect(made == 0)
        try folder.write(folder.read("client.pem") + folder.read("a.pem"), to: "client.pem")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: pem)
        let gate = try Launch(
            ["proxy", "--listen", "127.0.0.1:0", "--port-file", "port", "--client-cert", "a.example=\(pem)"], in: folder
        )
        #expect(gate.waits { !folder.read("port").isEmpty })
        let outcome = gate.stop()
        #expect(outcome.prose.contains("\(pem) holds a private key and is readable by others"))
    }

    @Test("run bypasses the parent for the hosts of NO_PROXY, and its child does not see that variable")
    func bypass() throws {
        let script = "curl -s -o /dev/null -w '%{http_code}' http://localhost:1/; echo \"[$NO_PROXY$no_proxy]\""
        let options = ["--parent", "http://127.0.0.1:1", "--mode", "audit", "--exit-zero", "--json", "records.jsonl"]
        for (variable, rule) in [("localhost", "net.refused"), ("other.example", "net.parent")] {
            let outcome = try Binary.run(
                ["run"] + options + ["--", "sh", "-c", script], in: folder, environment: ["NO_PROXY": variable])
            #expect(outcome.output == "502[]\n")
            #expect(folder.read("records.jsonl").contains("\"rule\":\"\(rule)\""))
        }
    }

    @Test("run sends its command's loads through a gate that only speaks SOCKS5")
    func socksOnly() throws {
        let script = "echo $http_proxy; curl -s -o /dev/null -w '%{http_code}' http://blocked.example/"
        let outcome = try Binary.run(
            ["run", "--listen", "socks5://127.0.0.1:0", "--exit-zero", "--connect-to", "blocked.example:::"]
                + ["--", "sh", "-c", script], in: folder)
        #expect(outcome.output.hasPrefix("socks5h://127.0.0.1:"))
    }
}
