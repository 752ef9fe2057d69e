import Foundation
import Testing

@Suite("probe of an origin that requests a client certificate", .timeLimit(.minutes(5)))
struct ProbeCertificateTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// Makes a root that issued a server and a client certificate, with `openssl req`.
    private func makeCertificates() throws {
        try folder.write("[req]\ndistinguished_name=dn\n[dn]\n", to: "e.cnf")
        let common = ["openssl", "req", "-config", folder.path("e.cnf"), "-x509", "-nodes", "-newkey", "ec"]
        let key = ["-pkeyopt", "ec_paramgen_curve:P-256"]
        let root = ["-keyout", folder.path("root.key"), "-out", folder.path("root.pem"), "-subj", "/CN=Root"]
        #expect(
            try Binary.tool(common + key + root + ["-days", "300", "-addext", "basicConstraints=critical,CA:TRUE"]) == 0
        )
        for (name, usage) in [("server", "serverAuth"), ("client", "clientAuth")] {
            let files = ["-keyout", folder.path(name + ".key"), "-out", folder.path(name + ".crt")]
            let issuer = ["-CA", folder.path("root.pem"), "-CAkey", folder.path("root.key"), "-subj", "/CN=mtls.test"]
            let extensions = ["basicConstraints=CA:FALSE", "subjectAltName=DNS:mtls.test", "extendedKeyUsage=" + usage]
                .flatMap { ["-addext", $0] }
            #expect(try Binary.tool(common + key + files + issuer + ["-days", "90"] + extensions) == 0)
            try folder.write(folder.read(name + ".crt") + folder.read(name + ".key"), to: name + ".pem")
            chmod(folder.path(name + ".pem"), 0o600)
        }
        let stranger = [
            "-keyout", folder.path("stranger.key"), "-out", folder.path("stranger.crt"), "-subj", "/CN=else",
        ]
        #expect(try Binary.tool(common + key + stranger + ["-days", "90"]) == 0)
        try folder.write(folder.read("stranger.crt") + folder.read("stranger.key"), to: "stranger.pem")
        chmod(folder.path("stranger.pem"), 0o600)
    }

    /// An `openssl s_server` that trusts certificates of the root.
    private func serve(_ manner: [String]) throws -> (process: Process, port: Int) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["openssl", "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", folder.path("server.pem")]
            + ["-key", folder.path("server.pem"), "-CAfile", folder.path("root.pem")] + manner
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        var said = ""
        while !said.contains(#/ACCEPT .*:\d+\n/#) {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            said += String(decoding: more, as: UTF8.self)
        }
        return (process, try Int(#require(said.firstMatch(of: #/ACCEPT .*:(\d+)\n/#)).1) ?? 0)
    }

    private func probe(_ server: (process: Process, port: Int), _ options: [String] = []) throws -> Binary.Outcome {
        let way = ["--roots", "root.pem", "--connect-to", "mtls.test:443:127.0.0.1:\(server.port)"]
        return try Binary.run(["probe"] + way + options + ["https://mtls.test/"], in: folder)
    }

    /// Up to TLS 1.2 the alert comes within the handshake, in TLS 1.3 after it.
    @Test(
        "an origin that requires a certificate passes only with --client-cert; without, it is -1206",
        arguments: ["-tls1_2", "-tls1_3"])
    func insisting(version: String) throws {
        try makeCertificates()
        let server = try serve([version, "-Verify", "1", "-verify_return_error"])
        defer { kill(server.process.processIdentifier, SIGKILL) }
        let without = try probe(server)
        #expect(without.status == 1, "\(without)")
        #expect(without.output.contains("failed     on iOS 27: tls.alert -1206\n"), "\(without)")
        #expect(without.output.contains("mtls.test requested a client certificate, got none"), "\(without)")
        let full = try probe(server, ["--verbose"])
        #expect(full.output.contains("-1206 NSURLErrorClientCertificateRequired"), "\(full)")
        let with = try probe(server, ["--client-cert", "mtls.test=client.pem"])
        #expect(with.status == 0 && with.output.contains("the server requested a certificate and got it"), "\(with)")
        // A certificate that the root did not sign.
        let stranger = try probe(server, ["--client-cert", "mtls.test=stranger.pem"])
        #expect(stranger.status == 1 && stranger.output.contains(": tls.alert -1205 "), "\(stranger)")
        #expect(stranger.output.contains("Client certificate refused"), "\(stranger)")
    }

    @Test(
        "an origin that only requests a certificate passes, with a note",
        arguments: [
            (["-tls1_2"], "the handshake succeeds without one"), (["-tls1_3"], "the handshake succeeds without one"),
            (["-tls1_3", "-num_tickets", "0"], "it sent nothing after that, so it may still reject a load"),
        ])
    func asking(manner: [String], note: String) throws {
        try makeCertificates()
        let server = try serve(manner + ["-verify", "1"])
        defer { kill(server.process.processIdentifier, SIGKILL) }
        let outcome = try probe(server, ["--timeout", "1s"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("the server requests a certificate; " + note), "\(outcome)")
    }
}
