import Foundation
import Processes
import TestSupport

/// HTTP servers from Debian packages. Each replies `WITNESS` to any request that it accepts.
final class WitnessServers {
    struct Server: Sendable {
        let name: String
        let port: Int
        /// True if a PROXY protocol header must precede a request.
        var wantsHeader = false
    }

    let all: [Server]
    private let programs: [Program]
    private let folder: Folder

    init() throws {
        let folder = try Folder()
        self.folder = folder
        let ports = try Loopback.freePorts(3)
        try folder.write(Self.nginx(on: ports, in: folder), to: "nginx.conf")
        try folder.write(Self.apache(on: ports[2], in: folder), to: "apache.conf")
        try folder.write(Self.node, to: "node.js")
        try folder.write(Self.python, to: "python.py")
        try folder.write(Self.go, to: "witness.go")
        let cache = "GOCACHE=" + folder.path("cache")
        let build = try Program(
            path: "/usr/bin/env", [cache, "GO111MODULE=off", "go", "build", "-o", "witness", "witness.go"], in: folder)
        guard build.wait() == 0 else { throw TestFailure(description: "go: \(build.said)") }
        programs = [
            try Program(
                path: "/usr/sbin/nginx", ["-e", folder.path("nginx.log"), "-c", folder.path("nginx.conf")], in: folder),
            try Program(
                path: "/usr/sbin/apache2", ["-X", "-d", folder.url.path, "-f", folder.path("apache.conf")], in: folder),
            try Program(path: "/usr/bin/node", [folder.path("node.js")], in: folder),
            try Program(path: "/usr/bin/python3", [folder.path("python.py")], in: folder),
            try Program(path: folder.path("witness"), [], in: folder),
        ]
        func told(_ name: String, by program: Program) throws -> Int {
            try program.wait(for: name) { folder.read(name + ".port").hasSuffix("\n") }
            return Int(folder.read(name + ".port").dropLast()) ?? 0
        }
        all = [
            Server(name: "nginx", port: ports[0]), Server(name: "nginx-proxy", port: ports[1], wantsHeader: true),
            Server(name: "apache", port: ports[2]), Server(name: "node", port: try told("node", by: programs[2])),
            Server(name: "python", port: try told("python", by: programs[3])),
            Server(name: "go", port: try told("go", by: programs[4])),
        ]
        for (server, program) in [(all[0], programs[0]), (all[2], programs[1])] {
            try program.wait(for: server.name) { (try? RawClient(port: server.port)) != nil }
        }
    }

    deinit {
        // Threads of Dispatch block signals, and so do their child processes, so SIGTERM would not arrive.
        for program in programs {
            program.send(SIGKILL)
            program.wait()
        }
    }

    private static func nginx(on ports: [Int], in folder: Folder) -> String {
        let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder.path($0));"
        }
        return """
            daemon off; master_process off; pid \(folder.path("nginx.pid")); error_log \(folder.path("nginx.log")) crit;
            events { worker_connections 512; }
            http {
                \(places.joined(separator: " ")) access_log off; large_client_header_buffers 4 64k;
                client_header_timeout 2s; keepalive_timeout 1s;
                server {
                    listen 127.0.0.1:\(ports[0]); listen 127.0.0.1:\(ports[1]) proxy_protocol;
                    location / { return 200 "WITNESS"; }
                }
            }
            """
    }

    private static func apache(on port: Int, in folder: Folder) -> String {
        let modules = "/usr/lib/apache2/modules"
        return """
            ServerName a.test
            Listen 127.0.0.1:\(port)
            PidFile \(folder.path("apache.pid"))
            ErrorLog \(folder.path("apache.log"))
            LogLevel crit
            LoadModule mpm_event_module \(modules)/mod_mpm_event.so
            LoadModule authz_core_module \(modules)/mod_authz_core.so
            User www-data
            Group www-data
            DocumentRoot \(folder.url.path)
            LimitRequestLine 65535
            Timeout 2
            KeepAlive Off
            ErrorDocument 404 "WITNESS"
            ErrorDocument 403 "WITNESS"
            """
    }

    private static let node = """
        const fs = require("fs");
        const server = require("http").createServer({ maxHeaderSize: 65536 }, (request, response) => {
            response.setHeader("Connection", "close");
            response.end("WITNESS");
        });
        server.headersTimeout = server.requestTimeout = 2000;
        server.listen(0, "127.0.0.1", () => fs.writeFileSync("node.port", server.address().port + "\\n"));
        """

    private static let python = """
        import http.server
        class Witness(http.server.BaseHTTPRequestHandler):
            timeout = 2
            def answer(self):
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"WITNESS")
            do_GET = do_HEAD = do_POST = do_PROPFIND = answer
            def log_message(self, *words): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Witness)
        server.daemon_threads = True
        with open("python.port", "w") as file: file.write(f"{server.server_port}\\n")
        server.serve_forever()
        """

    private static let go = """
        package main
        import ("fmt"; "net"; "net/http"; "os"; "time")
        func main() {
            listener, _ := net.Listen("tcp", "127.0.0.1:0")
            os.WriteFile("go.port", []byte(fmt.Sprintln(listener.Addr().(*net.TCPAddr).Port)), 0600)
            handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "WITNESS") })
            server := http.Server{Handler: handler, ReadTimeout: 2 * time.Second}
            server.SetKeepAlivesEnabled(false)
            server.Serve(listener)
        }
        """
}
