import Foundation
public import Postgres
import Processes
import Synchronization

/// A real PostgreSQL server for tests, with everything that is its own in a folder of its own: TLS with a certificate that
/// was made for it, a socket, and a free port of 127.0.0.1. Every commit is on the disk before it is answered, as usual.
///
/// Every user has the password ``password``, which is asked for over TCP, and not on the socket. It ends, and its folder
/// goes, when the last reference does, and also when the process of the test ends in whatever way.
// Unchecked: a server that is stopped and started belongs to one test, on one thread; of the one that tests share only
// what never changes, and what is under a lock, is asked for.
public final class PostgresServer: @unchecked Sendable {
    public static let password = "the password of tests"

    public let folder: ServerFolder
    public let port: Int
    /// The folder of its programs, psql among them.
    public var programs: String { system.folder }
    private let system: ServerSystem
    private let disk: ServerDisk?
    private var supervisor: Process?
    /// What ends the server by its own end.
    private var lifeline: FileHandle?
    /// Databases that others begin as, by their description.
    private let beginnings = Mutex<[String: String]>([:])

    /// One for all tests of a process, which each take a database of their own. Nobody stops it.
    public static func shared() throws -> PostgresServer { try common.get() }

    private static let common = Result { try PostgresServer() }

    /// Makes and starts one. With root, it runs as the user `postgres`, or `nobody`, since no server runs as root.
    ///
    /// - Parameters:
    ///   - options: more settings, as in `["max_wal_size = 64MB"]`.
    ///   - hasDisk: on a disk of its own, for ``fill()``.
    ///   - original: a running one, whose physical replica it becomes; nil for none.
    /// - Throws: ``Trouble`` where PostgreSQL is not installed: `.ci/install.sh fleet` brings it; ``ServerDisk/Refusal``.
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

// Where it is.
extension PostgresServer {
    /// A URI that reaches it over TLS, with what is needed to believe it and to log in.
    ///
    /// - Parameter more: further parameters, as in `sslmode=require`; they come last, and count.
    public func url(user: String = "postgres", database: String = "postgres", more: [String] = []) -> String {
        let parameters = ["sslrootcert=\(folder.path("ca.crt"))", "passfile=\(folder.path("pgpass"))"] + more
        return "postgres://\(user)@127.0.0.1:\(port)/\(database)?" + parameters.joined(separator: "&")
    }

    /// A URI that reaches it by its socket.
    public func socketURL(user: String = "postgres", database: String = "postgres") -> String {
        "postgres://\(user)@/\(database)?host=\(folder.path)&port=\(port)"
    }

    public func address(
        user: String = "postgres", database: String = "postgres", more: [String] = []
    ) throws -> PostgresAddress {
        try PostgresAddress(url(user: user, database: database, more: more))
    }

    public func connect(
        user: String = "postgres", database: String = "postgres", patience: Duration = .seconds(30)
    ) throws -> PostgresConnection {
        try PostgresConnection(address(user: user, database: database), as: "tests", patience: patience)
    }

    /// The same by its socket: without TLS, and without a password, which takes less time.
    public func connectBySocket(
        user: String = "postgres", database: String = "postgres", patience: Duration = .seconds(60)
    ) throws -> PostgresConnection {
        try PostgresConnection(
            PostgresAddress(socketURL(user: user, database: database)), as: "tests", patience: patience)
    }

    /// Makes an empty database.
    ///
    /// - Returns: its name, which no other has.
    public func makeDatabase() throws -> String { try makeDatabase(like: "template1") }

    /// - Parameter first: nobody else may be connected with it.
    private func makeDatabase(like first: String) throws -> String {
        let name = "test_" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let connection = try connectBySocket()
        // Whoever was may not be gone yet.
        let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(first)'"
        let isAlone = try holds(within: 60) { try connection.query(others)[0].int(0) == 0 }
        guard isAlone else { throw Trouble(description: "somebody is connected with \(first) still") }
        try connection.run("CREATE DATABASE \(name) TEMPLATE \(first)")
        return name
    }

    /// Makes a database that begins as others do: what all of them have is made once, and copied.
    ///
    /// - Parameters:
    ///   - beginning: names what they have.
    ///   - make: makes it, as the superuser.
    /// - Returns: its name, which no other has.
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

    /// Takes a database away, from those who use it, too.
    public func drop(_ database: String) throws { try connectBySocket().run("DROP DATABASE \(database) WITH (FORCE)") }

    /// Runs a program for clients, such as `pg_dump`.
    ///
    /// - Throws: ``Trouble`` when it fails, with what it said.
    public func runClient(_ program: String, as user: String = "postgres", _ arguments: [String]) throws {
        let way = ["--host=\(folder.path)", "--port=\(port)", "--username=\(user)"]
        try ServerSystem.run(["\(programs)/\(program)"] + way + arguments)
    }

    /// Makes NAME.crt and NAME.key in its folder, by which a client says that it is the user `by_certificate`.
    public func issueClientCertificate() throws {
        try ServerCertificates(folder: folder, system: system).issue(client: "by_certificate")
    }
}

// What happens to it.
extension PostgresServer {
    /// How a server is ended. Source: PostgreSQL 15, pg_ctl, and section 19.5.
    public enum Ending: Sendable {
        /// What was under way is taken back, the rest is put in order.
        case fast
        /// As by a loss of power: it recovers at its next start.
        case immediate
    }

    /// Starts it again, on the same port.
    public func start() throws {
        let input = Pipe()
        let log = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path("log")))
        try log.seekToEnd()
        let process = Process()
        // Foundation's children begin with signals blocked, and dash then waits for a child that has ended for ever.
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
        // Source: PostgreSQL 15, src/include/utils/pidfile.h: the eighth line says how far it is.
        let isReady = holds(within: 60) { status(8) == "ready" }
        guard isReady else { throw Trouble(description: "no server after all: \(folder.read("log").suffix(2_000))") }
    }

    /// Ends the server when its standard input does, with the folder, unless it hears "keep" before.
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
        // After a crash it would tell of a server that is gone.
        folder.remove("data/postmaster.pid")
        (self.supervisor, self.lifeline) = (nil, nil)
    }

    public func restart(_ ending: Ending = .fast) throws {
        stop(ending)
        try start()
    }

    /// Holds all of its processes, so that it takes connections and bytes, and answers nothing.
    public func suspend() {
        signal(SIGSTOP)
        for process in ServerSystem.family(of: process) { kill(process, SIGSTOP) }
    }

    public func resume() {
        guard process > 1 else { return }
        for process in ServerSystem.family(of: process).reversed() { kill(process, SIGCONT) }
    }

    /// How often it found no room on its disk.
    public var noRoom: Int {
        folder.read("log").split(separator: "No space left on device", omittingEmptySubsequences: false).count - 1
    }

    /// From now on there is no room for anything more on its disk.
    public func fill() throws { try disk?.fill() }

    /// There is again. Without room the server may have ended, and is started then.
    public func empty() throws {
        try disk?.empty()
        var isThere = false
        _ = holds(within: 60, while: { process > 1 && kill(process, 0) == 0 }) {
            isThere = (try? connect()) != nil
            return isThere
        }
        if !isThere { try restart(.immediate) }
    }

    /// Gives it another certificate, which every connection after this one sees.
    ///
    /// - Parameters:
    ///   - names: as openssl has them, for example `DNS:other.test`.
    ///   - isKnown: whether the CA is that of `sslrootcert` in ``url(user:database:more:)``.
    public func certify(names: String? = nil, isKnown: Bool = true) throws {
        try ServerCertificates(folder: folder, system: system)
            .certify(names ?? ServerCertificates.names, by: isKnown ? "ca" : "other-ca")
        try reload()
    }

    /// Has it read its settings and certificates anew, and waits for that.
    public func reload() throws {
        let before = reloads
        signal(SIGHUP)
        guard holds(within: 30, { reloads > before }) else { throw Trouble(description: "the server did not reload") }
    }

    private var reloads: Int {
        folder.read("log").split(separator: "received SIGHUP", omittingEmptySubsequences: false).count
    }

    /// That of the server's first process; 0 when none runs.
    public var process: Int32 { Int32(status(1)) ?? 0 }

    private func status(_ line: Int) -> String {
        let lines = folder.read("data/postmaster.pid").split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count >= line ? lines[line - 1].trimmingCharacters(in: .whitespaces) : ""
    }

    private func signal(_ number: Int32) {
        // 0 and 1 would be more than the server.
        if process > 1 { kill(process, number) }
    }
}
