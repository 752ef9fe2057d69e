import Foundation
import Processes
import Testing

/// The gate under a manager that passes it a socket and receives its notifications, like systemd.
@Suite("a gate as a service", .timeLimit(.minutes(5)))
struct ServiceTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// The lines of a manager that performs these acts. The gate's own output is in the file `said`. `ADDRESS` is the
    /// address of the manager's socket.
    private func play(_ acts: String, _ options: [String]) throws -> [String] {
        try folder.write(Self.manager, to: "manager.py")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let gate = [Binary.path, "proxy", "--store", "none"] + options
        process.arguments = ["python3", folder.path("manager.py"), acts] + gate
        process.currentDirectoryURL = folder.url
        var environment = ProcessInfo.processInfo.environment
        environment["XDG_DATA_HOME"] = folder.path("data")
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: URL(filePath: folder.write("", to: "said")))
        try process.run()
        let told = output.fileHandleForReading.readDataToEndOfFile()
        process.waitForEnd()
        return String(decoding: told, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Loads in flight have 30 seconds, and their closing sides another ten.
    private static let stopping = "STOPPING=1 EXTEND_TIMEOUT_USEC=40000000"

    @Test("a load sent before the gate runs is answered, and one sent between two gates waits for the second")
    func socketActivation() throws {
        let told = try play(
            "ask start hear answer ask stop hear ended start hear answer stop hear ended",
            [
                "--listen", "ADDRESS", "--web", "off", "--quiet",
            ])
        let gate = ["READY=1 STATUS=listening on ADDRESS", "HTTP/1.1 403 Forbidden"]
        #expect(told == gate + [Self.stopping, "status 0"] + gate + [Self.stopping, "status 0"])
    }

    @Test("a listener uses a passed socket by name, with its own settings")
    func named() throws {
        let told = try play(
            "ask start hear answer stop hear ended", ["--listen", "fd:lab,label=phones", "--web", "off"])
        let gate = ["READY=1 STATUS=listening on ADDRESS", "HTTP/1.1 403 Forbidden"]
        #expect(told == gate + [Self.stopping, "status 0"])
        #expect(folder.read("said").contains("(phones)"), "\(folder.read("said"))")
    }

    @Test("a name that was not passed ends the start with 64, and the passed names are listed")
    func misnamed() throws {
        let told = try play("start ended", ["--listen", "fd:other", "--web", "off"])
        #expect(told == ["status 64"])
        #expect(
            folder.read("said").contains("no socket named other was passed (LISTEN_FDNAMES); names: lab"))
        let run = ["run", "--store", "none", "--listen", "fd:lab", "--", "true"]
        let none = try Binary.run(run, in: folder)
        #expect(none.status == 64 && none.prose.contains("fd:lab"), "\(none.prose)")
    }

    @Test("the page also uses a passed socket")
    func page() throws {
        let told = try play(
            "ask start hear answer stop hear ended",
            [
                "--listen", "127.0.0.1:0", "--web", "ADDRESS", "--quiet",
            ])
        // Without its token the page is refused.
        #expect(told.count == 4 && told.dropFirst().first?.hasPrefix("HTTP/1.1 4") == true)
    }

    @Test("a reload and its end are notified, and the watchdog is pinged twice per period")
    func watched() throws {
        let told = try play(
            "watchdog start hear hear hear hear reload until_ready stop until_stopping ended",
            ["--listen", "ADDRESS", "--web", "off", "--quiet"])
        #expect(Set(told.prefix(4)) == ["READY=1 STATUS=listening on ADDRESS", "WATCHDOG=1"])
        let rest = told.dropFirst(4).filter { $0 != "WATCHDOG=1" }
        #expect(rest.first?.contains(/^RELOADING=1 MONOTONIC_USEC=\d+$/) == true)
        #expect(rest.dropFirst() == ["READY=1 STATUS=listening on ADDRESS", Self.stopping, "status 0"])
    }

    @Test("a passed socket whose address no option names is reported, and ends the start with 64")
    func stranger() throws {
        let told = try play("start ended", ["--listen", "127.0.0.1:0", "--web", "off"])
        #expect(told == ["status 64"])
        let words = "was passed, but none of --listen, --web and --metrics names that address"
        #expect(folder.read("said").contains(words))
    }

    @Test("a passed descriptor that is not a socket ends the start with 64")
    func noSocket() throws {
        let gate = "\"$0\" proxy --store none --listen 127.0.0.1:0"
        let command = "export LISTEN_PID=$$ LISTEN_FDS=1; exec \(gate) 3</dev/null"
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command, Binary.path]
        process.standardError = errors
        try process.run()
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitForEnd()
        #expect(process.terminationStatus == 64)
        #expect(said.contains("inherited descriptor 3 cannot be used"))
    }

    /// Keeps the socket, and starts the gate for each `start`. Source: sd_listen_fds(3), sd_notify(3).
    private static let manager = """
        import os, signal, socket, sys

        listener = socket.create_server(("127.0.0.1", 0))
        address = "%s:%d" % listener.getsockname()
        news = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        news.bind("news")
        for one in (listener, news):
            one.settimeout(60)
        clients = []

        def tell(*words):
            print(*words, flush=True)

        def ask():
            client = socket.create_connection(listener.getsockname(), 60)
            client.sendall(b"GET http://cleartext.example/ HTTP/1.1\\r\\nHost: cleartext.example\\r\\n\\r\\n")
            clients.append(client)

        def start():
            global gate
            gate = os.fork()
            if gate == 0:
                os.dup2(listener.fileno(), 3)
                os.set_inheritable(3, True)
                os.environ.update(
                    LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="lab",
                    NOTIFY_SOCKET=os.path.abspath("news"))
                os.execv(sys.argv[2], [word.replace("ADDRESS", address) for word in sys.argv[2:]])

        def hear():
            words = news.recv(1000).decode().replace(address, "ADDRESS").replace("\\n", " ")
            tell(words)
            return words

        def until_ready():
            while not hear().startswith("READY"):
                pass

        def until_stopping():
            while not hear().startswith("STOPPING"):
                pass

        def watchdog():
            os.environ["WATCHDOG_USEC"] = "200000"

        def reload():
            os.kill(gate, signal.SIGHUP)

        def answer():
            tell(clients.pop(0).makefile("rb").readline().decode().strip())

        def stop():
            os.kill(gate, signal.SIGTERM)

        def ended():
            tell("status", os.waitstatus_to_exitcode(os.waitpid(gate, 0)[1]))

        for act in sys.argv[1].split():
            globals()[act]()

        """
}
