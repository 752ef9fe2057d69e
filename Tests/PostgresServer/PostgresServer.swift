import Foundation
public import Postgres
import Processes
import Synchronization

/// A real PostgreSQL server for tests, with all its files in a separate folder. It has TLS with its own certificate, a
/// socket, and a free port of 127.0.0.1. Every commit is on the disk before its reply, as usual.
///
/// Every user has the password ``password``, which is required over TCP, but not on the socket. The server and its
/// folder end with the last reference, and also with the test's process, however that ends.
// Unchecked: a server that is stopped and started belongs to one test, on one thread. Of the shared server only
// constants and state under a lock are used.
public final class PostgresServer: @unchecked Sendable {
    public static let password = "the password of tests"

    public let folder: ServerFolder
    public let port: Int
    /// The folder of the programs, including psql.
    public var programs: String { system.folder }
    private let system: ServerSystem
    private let disk: ServerDisk?
    private var supervisor: Process?
    /// Ends the server when it is closed.
    private var lifeline: FileHandle?
    /// Template databases by their description.
    private let beginnings = Mutex<[String: String]>([:])

    /// The server that all tests of a process share, each with its own database. It is never stopped.
    public static func shared() throws -> PostgresServer { try common.get() }

    private static let common = Result { try PostgresServer() }

    /// Makes and starts a server. For root it runs as the user `postgres` or `nobody`, because PostgreSQL refuses to
    /// run as root.
    ///
    /// - Parameters:
    ///   - options: Additional settings, as in `["max_wal_size = 64MB"]`.
    ///   - hasDisk: True for a separate disk, for ``fill()``.
    ///   - original: A running server, of which this becomes a physical replica; nil for none.
    /// - Throws: ``TestFailure`` if PostgreSQL is not installed (`.ci/install.sh fleet` installs it);
    ///   ``ServerDisk/Refusal``.
    public init(options: [String] = [], hasDisk: Bool = false, copying original: PostgresServer? = nil) throws {
        system = try ServerSystem()
        folder = try ServerFolder(for: system)
        disk = hasDisk ? try ServerDisk(at: folder.path("data"), for: system) : nil
        port = try Loopback.freePorts(1)[0]
        try folder.write(Self.password, to: "password")
        try system.makeData(in: folder, copying: original)
        try folder.write("*:*:*:*:\(Self.password)\n", to: "pgpass", isOurs: true)
        try folder.append(settings(options), to: "data/postgresql.conf")
        let rule = "hostssl all by_certificate 127.0.0.1/32 cert\n"
        try folder.write(rule + folder.read("data/pg_hba.conf"), to: "data/pg_hba.conf")
        try ServerCertificates(folder: folder, system: system).make()
        try folder.write("", to: "log", isOurs: true)
        try start()
    }

    deinit {
        stop(.immediate)
        disk?.unmount()
    }

    private func settings(_ options: [String]) -> String {
        let own = [
            "listen_addresses = '127.0.0.1'", "port = \(port)", "unix_socket_directories = '\(folder.path)'",
            "max_connections = 200", "shared_buffers = 64MB", "ssl = on",
            "ssl_cert_file = '\(folder.path("server.crt"))'", "ssl_key_file = '\(folder.path("server.key"))'",
            "ssl_ca_file = '\(folder.path("ca.crt"))'",
        ]
        return (own + options).joined(separator: "\n") + "\n"
    }
}

// Addresses and connections.
extension PostgresServer {
    /// A URI for TLS, with the parameters that trust the server and log in.
    ///
    /// - Parameter more: Further parameters, as in `sslmode=require`. They come last and override the others.
    public func url(user: String = "postgres", database: String = "postgres", more: [String] = []) -> String {
        let parameters = ["sslrootcert=\(folder.path("ca.crt"))", "passfile=\(folder.path("pgpass"))"] + more
        return "postgres://\(user)@127.0.0.1:\(port)/\(database)?" + parameters.joined(separator: "&")
    }

    /// A URI for the socket.
    public func socketURL(user: String = "postgres", database: String = "postgres") -> String {
        "postgres://\(user)@/\(database)?host=\(folder.path)&port=\(port)"
    }

    public func address(
        user: String = "postgres", database: String = "postgres", more: [String] = []
    ) throws -> PostgresAddress {
        try PostgresAddress(url(user: user, database: database, more: more))
    }

    public func connect(
        user: String = "postgres", database: String = "postgres", timeout: Duration = .seconds(30)
    ) throws -> PostgresConnection {
        try PostgresConnection(address(user: user, database: database), as: "tests", timeout: timeout)
    }

    /// Connects through the socket: without TLS and password, which is faster.
    public func connectBySocket(
        user: String = "postgres", database: String = "postgres", timeout: Duration = .seconds(60)
    ) throws -> PostgresConnection {
        try PostgresConnection(
            PostgresAddress(socketURL(user: user, database: database)), as: "tests", timeout: timeout)
    }

    /// Makes an empty database.
    ///
    /// - Returns: Its unique name.
    public func makeDatabase() throws -> String { try makeDatabase(like: "template1") }

    /// - Parameter first: The template. No other connection may use it.
    private func makeDatabase(like first: String) throws -> String {
        let name = "test_" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let connection = try connectBySocket()
        // Earlier connections may not be closed yet.
        let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(first)'"
        let isAlone = try holds(within: 60) { try connection.query(others)[0].int(0) == 0 }
        guard isAlone else { throw TestFailure(description: "a connection to \(first) is still open") }
        try connection.run("CREATE DATABASE \(name) TEMPLATE \(first)")
        return name
    }

    /// Makes a database from a template that is made once for each description.
    ///
    /// - Parameters:
    ///   - beginning: The description of the template.
    ///   - make: Fills the template, as the superuser.
    /// - Returns: The database's unique name.
    public func makeDatabase(
        beginningAs beginning: String, _ make: (PostgresConnection) throws -> Void
    ) throws -> String {
        let first = try beginnings.withLock { beginnings in
            if let known = beginnings[beginning] { return known }
            let first = try makeDatabase()
            try make(connectBySocket(database: first))
            beginnings[beginning] = first
            return first
        }
        return try makeDatabase(like: first)
    }

    /// Drops a database, even if it has connections.
    public func drop(_ database: String) throws { try connectBySocket().run("DROP DATABASE \(database) WITH (FORCE)") }

    /// Runs a client program, such as `pg_dump`.
    ///
    /// - Throws: ``TestFailure`` with its output if it fails.
    public func runClient(_ program: String, as user: String = "postgres", _ arguments: [String]) throws {
        let way = ["--host=\(folder.path)", "--port=\(port)", "--username=\(user)"]
        try ServerSystem.run(["\(programs)/\(program)"] + way + arguments)
    }

    /// Makes by_certificate.crt and by_certificate.key in its folder, which log a client in as the user
    /// `by_certificate`.
    public func issueClientCertificate() throws {
        try ServerCertificates(folder: folder, system: system).issue(client: "by_certificate")
    }
}

// Start, stop and faults.
extension PostgresServer {
    /// A way to stop a server. Source: PostgreSQL 15, pg_ctl, and section 19.5.
    public enum Ending: Sendable {
        /// Rolls back open transactions and shuts down in order.
        case fast
        /// As after a power cut: the server recovers at its next start.
        case immediate
    }

    /// Starts the server again, on the same port.
    public func start() throws {
        let input = Pipe()
        let log = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path("log")))
        try log.seekToEnd()
        let process = Process()
        // Child processes of Foundation start with blocked signals, with which dash would wait forever for an ended
        // child.
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments =
            ["-c", Self.supervise, "server", folder.path] + system.words("postgres", ["-D", folder.path("data")])
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        process.standardInput = input
        process.standardOutput = log
        process.standardError = log
        let writing = input.fileHandleForWriting
        _ = fcntl(writing.fileDescriptor, F_SETFD, FD_CLOEXEC)
        try process.begin()
        (supervisor, lifeline) = (process, writing)
        // Source: PostgreSQL 15, src/include/utils/pidfile.h: the eighth line is the server's status.
        let isReady = holds(within: 60) { status(8) == "ready" }
        guard isReady else {
            throw TestFailure(description: "server did not start: \(folder.read("log").suffix(2_000))")
        }
    }

    /// Stops the server and removes its folder when standard input ends, unless it received "keep" before.
    private static let supervise = """
        folder=$1; shift
        "$@" &
        read -r word
        [ "$word" = keep ] || { kill -QUIT $!; kill -CONT $!; }
        wait $!
        [ "$word" = keep ] && exit
        umount --lazy "$folder/data" 2>/dev/null
        rm -rf "$folder"
        """

    public func stop(_ ending: Ending = .fast) {
        guard let supervisor, let lifeline else { return }
        signal(ending == .fast ? SIGINT : SIGQUIT)
        resume()
        try? lifeline.write(contentsOf: Data("keep\n".utf8))
        try? lifeline.close()
        supervisor.waitForEnd()
        // After a crash the file would name a dead process.
        folder.remove("data/postmaster.pid")
        (self.supervisor, self.lifeline) = (nil, nil)
    }

    public func restart(_ ending: Ending = .fast) throws {
        stop(ending)
        try start()
    }

    /// Suspends all of its processes. Connections and bytes are still accepted, but not answered.
    public func suspend() {
        signal(SIGSTOP)
        for process in ServerSystem.family(of: process) { kill(process, SIGSTOP) }
    }

    public func resume() {
        guard process > 1 else { return }
        for process in ServerSystem.family(of: process).reversed() { kill(process, SIGCONT) }
    }

    /// The number of "No space left" errors in its log.
    public var noRoom: Int {
        folder.read("log").split(separator: "No space left on device", omittingEmptySubsequences: false).count - 1
    }

    /// Fills its disk, so that no write succeeds.
    public func fill() throws { try disk?.fill() }

    /// Frees the disk again, and restarts the server if it ended for lack of space.
    public func empty() throws {
        try disk?.empty()
        var isThere = false
        _ = holds(within: 60, while: { process > 1 && kill(process, 0) == 0 }) {
            isThere = (try? connect()) != nil
            return isThere
        }
        if !isThere { try restart(.immediate) }
    }

    /// Gives the server another certificate, which every new connection sees.
    ///
    /// - Parameters:
    ///   - names: The names in openssl's notation, for example `DNS:other.test`.
    ///   - isKnown: True if the CA is that of `sslrootcert` in ``url(user:database:more:)``.
    public func certify(names: String? = nil, isKnown: Bool = true) throws {
        try ServerCertificates(folder: folder, system: system)
            .certify(names ?? ServerCertificates.names, by: isKnown ? "ca" : "other-ca")
        try reload()
    }

    /// Makes the server reload its settings and certificates, and waits for it.
    public func reload() throws {
        let before = reloads
        signal(SIGHUP)
        guard holds(within: 30, { reloads > before }) else {
            throw TestFailure(description: "the server did not reload")
        }
    }

    private var reloads: Int {
        folder.read("log").split(separator: "received SIGHUP", omittingEmptySubsequences: false).count
    }

    /// The id of the server's main process; 0 if it does not run.
    public var process: Int32 { Int32(status(1)) ?? 0 }

    private func status(_ line: Int) -> String {
        let lines = folder.read("data/postmaster.pid").split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count >= line ? lines[line - 1].trimmingCharacters(in: .whitespaces) : ""
    }

    private func signal(_ number: Int32) {
        // 0 and 1 would address more than the server.
        if process > 1 { kill(process, number) }
    }
}
