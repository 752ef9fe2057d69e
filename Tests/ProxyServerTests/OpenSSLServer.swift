import Foundation
import TLSEngine
import Testing

/// An `openssl s_server` that answers HTTP with details of the connection, and requests client certificates.
final class OpenSSLServer {
    let port: Int
    private let process = Process()

    /// - Parameters:
    /// - identity: its certificate and key.
    /// - root: the root of the client certificates that it trusts.
    /// - options: additional options, for example `-Verify 1` to require a certificate.
    init(in folder: URL, showing identity: SigningIdentity, believing root: SigningIdentity, _ options: [String]) throws
    {
        let file = folder.appending(path: "server-\(UUID().uuidString).pem")
        let roots = folder.appending(path: "roots-\(UUID().uuidString).pem")
        try Data((identity.certificatePEM + identity.keyPEM).utf8).write(to: file)
        try Data(root.certificatePEM.utf8).write(to: roots)
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["openssl", "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", file.path, "-key", file.path]
            + ["-CAfile", roots.path] + options
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // "ACCEPT 127.0.0.1:41233" appears once it listens.
        var said = ""
        while !said.contains(/ACCEPT .*:\d+\n/) {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            said += String(decoding: more, as: UTF8.self)
        }
        port = try Int(#require(said.firstMatch(of: /ACCEPT .*:(\d+)\n/)).1) ?? 0
    }

    /// Uses SIGKILL because it inherits the signal mask of a Dispatch worker, which blocks other signals.
    deinit { kill(process.processIdentifier, SIGKILL) }
}
