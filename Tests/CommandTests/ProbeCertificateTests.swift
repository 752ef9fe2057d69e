import Foundation
import Testing

@Suite("probe of an origin that wants a client certificate", .timeLimit(.minutes(5)))
struct ProbeCertificateTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// A root, and below it a server and a client, made by `openssl req`.
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
    }

    /// `openssl s_server` that insists on a certificate of the root.
    private func serve() throws -> (process: Process, port: Int) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            [
                "openssl", "s_server", "-accept", "127.0.0.1:0", "-www", "-tls1_2", "-Verify", "1",
                "-verify_return_error",
            ]
            + [
                "-cert", folder.path("server.pem"), "-key", folder.path("server.pem"), "-CAfile",
                folder.path("root.pem"),
            ]
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

    @Test("with --client-cert it passes and says that the certificate was sent; without, the alert is told")
    func clientCertificate() throws {
        try makeCertificates()
        let server = try serve()
        defer { kill(server.process.processIdentifier, SIGKILL) }
        let options = [
            "probe", "--roots", "root.pem", "--connect-to", "mtls.test:443:127.0.0.1:\(server.port)",
            "https://mtls.test/",
        ]
        let without = try Binary.run(options, in: folder)
        #expect(without.status == 1 && without.output.contains("tls.alert"), "\(without)")
        let with = try Binary.run(options + ["--client-cert", "mtls.test=client.pem"], in: folder)
        #expect(with.status == 0 && with.output.contains("a certificate was asked for and sent"), "\(with)")
    }
}
