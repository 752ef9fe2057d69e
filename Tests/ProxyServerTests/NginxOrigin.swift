import Dialing
import Foundation
import Processes
import ProxyServer
import Testing

/// nginx on this machine, with HTTP/2: a real peer for loads through the gate.
///
/// Its names are `h2.nginx.test` (HTTP/2 and HTTP/1.1), `h1.nginx.test` (HTTP/1.1), `short.nginx.test` (GOAWAY after
/// seven requests) and `clear.nginx.test` (HTTP/2 in the clear).
final class NginxOrigin {
    /// The folder of the files that `/files/` serves.
    let folder: URL
    private let process = Process()
    private let ports: [(name: String, port: Int, realPort: Int)]

    /// - Parameter socketPort: the target of `/socket` under each name, upgrades included.
    init(socketPort: Int = 1) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-nginx-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "files"), withIntermediateDirectories: true)
        ports = try Loopback.freePorts(4).enumerated().map { index, port in
            (["h2", "h1", "short", "clear"][index] + ".nginx.test", index == 3 ? 80 : 443, port)
        }
        try await makeCertificate()
        let configuration = folder.appending(path: "nginx.conf")
        try Data(Self.configuration(folder.path, ports.map(\.realPort), Rig.cleartextPort, socketPort).utf8).write(
            to: configuration)
        try await start(configuration.path)
    }

    /// Routes the gate to this nginx and makes it trust its certificate.
    func lead(_ settings: inout GateSettings) {
        settings.roots.append(folder.appending(path: "root.pem").path)
        settings.connectTo += ports.map {
            ConnectTo(host: $0.name, port: $0.port, toHost: "127.0.0.1", toPort: $0.realPort)
        }
    }

    /// Writes a file that `/files/NAME` serves.
    func serve(_ data: Data, as name: String) throws {
        try data.write(to: folder.appending(path: "files/\(name)"))
    }

    func stop() {
        // A child of a Dispatch thread inherits blocked signals, and a single nginx process never unblocks them.
        kill(process.processIdentifier, SIGKILL)
        process.waitForEnd()
        try? FileManager.default.removeItem(at: folder)
    }

    private func makeCertificate() async throws {
        let root = folder.appending(path: "root").path
        let leaf = folder.appending(path: "leaf").path
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        try Data("subjectAltName=DNS:*.nginx.test\nextendedKeyUsage=serverAuth\nkeyUsage=digitalSignature\n".utf8)
            .write(to: folder.appending(path: "leaf.ext"))
        let steps = [
            ["req", "-x509"] + key + [
                "-days", "90", "-subj", "/CN=nginx root", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
                "-keyout", root + ".key", "-out", root + ".pem",
            ],
            ["req"] + key + ["-subj", "/CN=nginx.test", "-keyout", leaf + ".key", "-out", leaf + ".csr"],
            [
                "x509", "-req", "-in", leaf + ".csr", "-CA", root + ".pem", "-CAkey", root + ".key",
                "-CAcreateserial", "-days", "90", "-extfile", leaf + ".ext", "-out", leaf + ".pem",
            ],
        ]
        for step in steps {
            let outcome = try await Outcome.run("openssl", step)
            try #require(outcome.status == 0, "\(outcome.complaint)")
        }
    }

    /// Returns once nginx listens: it logs its event method after that.
    private func start(_ configuration: String) async throws {
        let complaint = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["PATH": (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin"]) { $1 }
        process.arguments = ["nginx", "-e", "stderr", "-c", configuration]
        process.standardInput = FileHandle.nullDevice
        process.standardError = complaint
        try process.run()
        let reading = complaint.fileHandleForReading
        let said = await withCheckedContinuation { continuation in
            DispatchQueue(label: "nginx.read").async {
                var said = ""
                while !said.contains("event method") {
                    let data = reading.availableData
                    if data.isEmpty { break }
                    said += String(decoding: data, as: UTF8.self)
                }
                continuation.resume(returning: said)
            }
        }
        try #require(said.contains("event method"), "nginx does not start: \(said)")
        reading.readabilityHandler = { _ = $0.availableData }
    }

    private static func configuration(_ folder: String, _ ports: [Int], _ lab: Int, _ socket: Int) -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder)/\($0);"
        }
        let listens = ["ssl http2", "ssl", "ssl http2", "http2"]
        let servers = zip(ports, listens).enumerated().map { index, server in
            """
            server {
                listen 127.0.0.1:\(server.0) \(server.1);
                \(index == 2 ? "keepalive_requests 7;" : "")
                location /image/ { empty_gif; }
                location /files/ { root \(folder); }
                location /encoded/ { root \(folder); rewrite ^/encoded/([^/]+)/(.*)$ /files/$2 break;
                    add_header Content-Encoding $1; }
                location /trailers { add_trailer X-End reached; proxy_pass http://127.0.0.1:\(lab)/chunked; }
                location ~ ^/(echo|upload|chunked) { proxy_pass http://127.0.0.1:\(lab); proxy_http_version 1.1;
                    proxy_request_buffering off; }
                location /socket { proxy_pass http://127.0.0.1:\(socket); proxy_http_version 1.1;
                    proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade; }
            }
            """
        }
        return """
            daemon off;
            master_process off;
            pid \(folder)/pid;
            error_log stderr notice;
            events { worker_connections 512; }
            http {
                access_log off;
                \(temporary.joined(separator: "\n"))
                client_max_body_size 0;
                ssl_certificate \(folder)/leaf.pem;
                ssl_certificate_key \(folder)/leaf.key;
                \(servers.joined(separator: "\n"))
            }
            """
    }
}
