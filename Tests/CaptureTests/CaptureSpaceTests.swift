import Capture
import Foundation
import NetLoop
import Processes
import Synchronization
import Testing
import Text

/// A command in a network of its own. Where the system forbids that, the tests look at what it says of it instead;
/// Tests/Peers/capture.sh fails there.
@Suite("a network of its own", .timeLimit(.minutes(5)))
struct CaptureSpaceTests {
    /// The space; nil where the system forbids it, and says how to go on.
    private func space(usesRule: Bool = true, ports: [UInt16] = [80]) throws -> CaptureSpace? {
        do throws(CaptureFailure) {
            return try CaptureSpace(ports: ports, usesRule: usesRule)
        } catch {
            let isKnown =
                switch error {
                case .unknownHere, .forbidden: true
                case .failed, .command: false
                }
            #expect(isKnown && "\(error)".contains("without"))
            return nil
        }
    }

    private func status(of script: String, in space: CaptureSpace) throws -> Int32 {
        let process = try space.start(
            ["sh", "-c", script], environment: ["PATH=/usr/bin:/bin", "LC_ALL=C"], resolverFile: "/dev/null",
            ordinarySignals: [SIGPIPE, SIGINT])
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }

    @Test("a command runs in it as the same user, with its own status, folder and usual signals")
    func ordinary() throws {
        guard let space = try space() else { return }
        #expect(try status(of: "exit 7", in: space) == 7 << 8)
        #expect(try status(of: "kill -TERM $$", in: space) == SIGTERM)
        #expect(try status(of: "test \"$(id -u)\" = \(geteuid()) && test \"$PWD\" = \"$(pwd -P)\"", in: space) == 0)
        let folder = FileManager.default.currentDirectoryPath
        #expect(try status(of: "test \"$(pwd -P)\" = '\(folder)' || test \"$(pwd)\" = '\(folder)'", in: space) == 0)
        #expect(try status(of: "grep -q '^SigIgn:.*0$' /proc/self/status", in: space) == 0)
    }

    @Test("who is not root has no rights in it, and nobody the mounts of the system")
    func noRights() throws {
        guard let space = try space() else { return }
        let answer: Int32 = geteuid() == 0 ? 1 : 0
        #expect(try status(of: "grep -q '^CapEff:.0*$' /proc/self/status", in: space) == answer << 8)
        #expect(try status(of: "test -s /etc/resolv.conf", in: space) == 1 << 8)
        let outside = try String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)
        #expect(!outside.contains(" /null /etc/resolv.conf "))
    }

    @Test(
        "what can not be run is told with its errno",
        arguments: [("./no-such-command", ENOENT), ("/etc/passwd", EACCES)])
    func notRunnable(name: String, code: Int32) throws {
        guard let space = try space() else { return }
        #expect(throws: CaptureFailure.command(errno: code)) {
            try space.start([name], environment: [], resolverFile: "/dev/null", ordinarySignals: [])
        }
    }

    @Test("a connection to any address comes in, and one to loopback does not", arguments: [true, false])
    func connections(usesRule: Bool) throws {
        guard let space = try space(usesRule: usesRule) else { return }
        #expect(usesRule || !space.catchesEveryPort)
        let loop = try EventLoop(index: 0)
        let count = Mutex(0)
        let listeners = try space.entrances.map {
            try Listener.open(host: $0.host, port: $0.port, handed: space.sockets)
        }
        for listener in listeners {
            listener.start(loops: [loop]) { descriptor, _, _ in
                count.withLock { $0 += 1 }
                close(descriptor)
            }
        }
        defer {
            for listener in listeners { listener.stop() }
            loop.stop()
        }
        let open = "exec bash -c 'exec 3<>/dev/tcp/HOST/PORT || exit 1; read -r -u 3 x; exit 0' 2>/dev/null"
        func connect(_ host: String, _ port: Int) throws -> Int32 {
            let script = open.replacing("HOST", with: host).replacing("PORT", with: "\(port)")
            return try status(of: script, in: space)
        }
        #expect(try connect("203.0.113.7", 80) == 0)
        #expect(count.withLock { $0 } == 1)
        let other = try connect("203.0.113.7", 8_081)
        #expect((other == 0) == space.catchesEveryPort)
        #expect(count.withLock { $0 } == (space.catchesEveryPort ? 2 : 1))
        #expect(try connect("127.0.0.1", 8_081) != 0)
    }

    @Test("names are looked up by the gate, over UDP and TCP")
    func names() throws {
        guard let space = try space() else { return }
        let names = try NameServer(for: space, asking: FixedNames())
        defer { names.stop() }
        let resolver = FileManager.default.temporaryDirectory.appendingPathComponent("capture-\(UUID()).conf")
        try Data(ResolverFile.text(from: "").utf8).write(to: resolver)
        defer { try? FileManager.default.removeItem(at: resolver) }
        func lookUp(_ arguments: [String]) throws -> Int32 {
            let process = try space.start(
                ["getent"] + arguments, environment: ["PATH=/usr/bin:/bin"], resolverFile: resolver.path,
                ordinarySignals: [])
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            return status
        }
        #expect(try lookUp(["ahosts", "shop.example"]) == 0)
        #expect(try lookUp(["ahosts", "gone.example"]) != 0)
        // By a connection: bash knows no other datagrams, and getent no other way.
        let message = DNSQuestionTests.message(DNSQuestionTests.name("tcp.example"))
        let octal = ([0, UInt8(message.count)] + message).map { "\\0" + String($0, radix: 8) }.joined()
        let script =
            "exec bash -c 'exec 3<>/dev/tcp/192.0.2.53/53 && printf %b \"\(octal)\" >&3 && [ $(head -c 3 <&3 | wc -c) = 3 ]'"
        guard space.catchesEveryPort else { return }
        #expect(try status(of: script, in: space) == 0)
    }

    @Test("what the network refuses is told once, and counted; the command's own is not", arguments: [true, false])
    func refusals(usesRule: Bool) throws {
        guard let space = try space(usesRule: usesRule) else { return }
        let told = Mutex<[RefusedTraffic.Destination]>([])
        let refused = RefusedTraffic(of: space, but: [80]) { way in told.withLock { $0.append(way) } }
        let script = """
            exec bash -c 'for i in 1 2 3; do echo x >/dev/udp/203.0.113.7/443; done; echo x >/dev/udp/127.0.0.1/444;
            echo x >/dev/tcp/203.0.113.7/8081; true' 2>/dev/null
            """
        #expect(try status(of: script, in: space) == 0)
        let quic = RefusedTraffic.Destination(isDatagram: true, port: 443)
        let closed = RefusedTraffic.Destination(isDatagram: false, port: 8_081)
        let ways = space.catchesEveryPort ? [quic] : [quic, closed]
        // The system tells of it a moment after the command, as it may.
        _ = holds(within: 60) { told.withLock { Set($0) } == Set(ways) && refused.counts.first?.count == 3 }
        let counts = refused.stop()
        #expect(counts.first?.way == quic && counts.first?.count == 3)
        #expect(counts.map(\.way) == ways)
        #expect(told.withLock { $0.count } == ways.count)
    }

    @Test("the reasons of a system that forbids it are told apart, each with its way out")
    func reasons() {
        let step = Int32(2)
        let words = [
            CaptureFailure(step: step, errno: ENOSYS), CaptureFailure(step: step, errno: ENOSPC),
            .forbidden(.appArmor), .forbidden(.debianSwitch), .forbidden(.container),
        ].map { "\($0)" }
        #expect(Set(words).count == words.count && words.allSatisfy { $0.contains("without") })
        let switches = ["kernel/unprivileged_userns_clone": "0"]
        #expect(CaptureFailure.Prohibition.found { switches[$0] } == .debianSwitch)
        #expect(CaptureFailure.Prohibition.found { _ in nil } == .container)
    }
}

/// Every name but one is at the same address.
private struct FixedNames: NameResolving {
    func answer(for host: String, later: @escaping @Sendable (NameAnswer) -> Void) -> NameReply {
        guard host != "gone.example", let address = HostAddress("203.0.113.7") else {
            return .known(.failed(code: Int32(EAI_NONAME)))
        }
        return .known(.addresses([address]))
    }
}
