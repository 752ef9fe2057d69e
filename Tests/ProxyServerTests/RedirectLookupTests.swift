import ATSPolicy
import Dispatch
import Foundation
import NetLoop
import ProxyServer
import Records
import Synchronization
import Testing

/// The original targets of redirected clients whose sockets do not contain them, looked up outside the loops as on
/// macOS.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct RedirectLookupTests {
    private static let client = SocketAddress("192.168.1.111:40000")
    private static let line = "ALL tcp 127.0.0.1:9902 <- 192.0.2.5:80 <- 192.168.1.111:40000 ESTABLISHED:ESTABLISHED\n"

    @Test("one lookup answers all clients that waited when it began, and the queue of waiting clients is bounded")
    func together() async throws {
        let client = try #require(Self.client)
        let asked = Mutex(0)
        let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let lookup = RedirectLookup {
            asked.withLock { $0 += 1 }
            begun.signal()
            gate.wait()
            return .success(Self.line)
        }
        // The first client has its own lookup; during that, the others wait for the next one.
        let count = 1 + RedirectLookup.limit + 100
        let answers = await withCheckedContinuation { continuation in
            let answers = Mutex<[SocketAddress?]>([])
            for number in 0..<count {
                lookup.find(client, port: 9902) { answer in
                    let all = answers.withLock { answers in
                        answers.append(answer)
                        return answers
                    }
                    if all.count == count { continuation.resume(returning: all) }
                }
                if number == 0 { begun.wait() }
            }
            for _ in 0..<2 { gate.signal() }
        }
        #expect(asked.withLock { $0 } == 2)
        #expect(answers.count { $0?.description == "192.0.2.5:80" } == 1 + RedirectLookup.limit)
        #expect(answers.count { $0 == nil } == 100)
    }

    @Test("a command's output counts only if it exits 0, in time and within the size limit")
    func bounded() {
        func run(_ script: String, limitBytes: Int = 1_000, timeout: Duration = .seconds(20)) -> String {
            let command = BoundedCommand(["/bin/sh", "-c", script], limitBytes: limitBytes, timeout: timeout)
            switch command.run() {
            case .success(let text): return text
            case .failure(let failure): return "failed: " + failure.reason
            }
        }
        #expect(run("echo one; echo two >&2") == "one\ntwo\n")
        #expect(run("echo no password >&2; echo more; exit 1") == "failed: no password")
        #expect(run("exit 3").hasSuffix("exited with 3"))
        #expect(run("while :; do echo much; done").contains("printed too much"))
        #expect(run("exec sleep 100", timeout: .milliseconds(50)).contains("took longer"))
        #expect(run("exec >&- 2>&-; exec sleep 100", timeout: .milliseconds(50)).contains("took longer"))
        let absent = BoundedCommand(["/nowhere/pfctl"], limitBytes: 1, timeout: .seconds(1))
        // Twice: a command that could not start is not waited for.
        for _ in 0..<2 {
            guard case .failure(let failure) = absent.run() else { Issue.record("the command ran"); continue }
            #expect(failure.reason.contains("/nowhere/pfctl cannot be run"))
        }
    }

    @Test("a command that did not end in time is not started a second time")
    func hanging() {
        // It ignores all signals except SIGKILL, like a command of another user.
        let command = BoundedCommand(
            ["/bin/sh", "-c", "trap '' TERM PIPE; exec sleep 10"], limitBytes: 1_000, timeout: .seconds(2))
        guard case .failure(let first) = command.run(), case .failure(let second) = command.run() else {
            Issue.record("the command succeeded")
            return
        }
        #expect(first.reason.contains("took longer"))
        #expect(second.reason.contains("is still running"))
    }

    @Test("a redirected client is served with the content of its original target")
    func served() async throws {
        // All clients that are redirected to the gate wanted the lab's cleartext origin.
        let told = Mutex("")
        let rig = try Rig {
            $0.listeners = [
                ListenAddress(host: "127.0.0.1", port: 0, label: "phone", entrance: .transparent)
            ]
            $0.redirects = RedirectLookup { .success(told.withLock { $0 }) }
        }
        // curl uses the first free one of them.
        let begin = 40_000 + Int.random(in: 0..<9_000)
        let locals = begin...begin + 99
        told.withLock {
            $0 = locals.map { local in
                "ALL tcp 127.0.0.1:\(rig.port) <- 127.0.0.1:\(Rig.cleartextPort) <- 127.0.0.1:\(local) "
                    + "ESTABLISHED:ESTABLISHED\n"
            }.joined()
        }
        let url = "http://127.0.0.1:\(rig.port)/"
        let always = ["-sS", "--max-time", "20", "-o", "/dev/null", "-w", "%{http_code}"]
        let host = ["-H", "Host: 127.0.0.1:\(Rig.cleartextPort)"]
        let served = try await Outcome.run("curl", always + host + ["--local-port", "\(begin)-\(begin + 99)", url])
        #expect(served.output == "200", "\(served.complaint)")
        // The original target of this client is unknown.
        let others = ["--local-port", "\(begin + 100)-\(begin + 199)"]
        let stranger = try await Outcome.run("curl", always + host + others + [url])
        #expect(stranger.status == 52 || stranger.status == 56, "\(stranger.complaint)")
        let records = rig.finish()
        #expect(records.map { $0.load.target.origin } == ["http://127.0.0.1:\(Rig.cleartextPort)"])
        #expect(records.map(\.client.entrance) == [.transparent])
        #expect(records.map(\.client.label) == ["phone"])
    }

    @Test("clients that wait for a lookup end with their gate")
    func stopped() async throws {
        let (asked, answered) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isFirst = Mutex(true)
        let rig = try Rig {
            $0.listeners = [ListenAddress(host: "127.0.0.1", port: 0, entrance: .transparent)]
            // The first lookup is the one at the start.
            $0.redirects = RedirectLookup {
                let first = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                if first { return .success("") }
                asked.signal()
                answered.wait()
                return .success("")
            }
        }
        async let ended = Outcome.run("curl", ["-sS", "--max-time", "20", "http://127.0.0.1:\(rig.port)/"])
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "asked").async {
                asked.wait()
                continuation.resume()
            }
        }
        #expect(rig.finish().isEmpty)
        let outcome = try await ended
        #expect(outcome.status == 52 || outcome.status == 56, "\(outcome.complaint)")
        answered.signal()
    }

    @Test("without permission for the lookup the gate does not start, and its error contains the remedy")
    func refused() throws {
        do {
            _ = try Rig {
                $0.listeners = [ListenAddress(host: "127.0.0.1", port: 0, entrance: .transparent)]
                $0.redirects = RedirectLookup { .failure(RedirectFailure("sudo: a password is required")) }
            }
            Issue.record("the gate started")
        } catch let error as GateError {
            #expect(error.exitCode == 69)
            #expect(error.sentence.contains("sudo: a password is required; let this user run sudo -n /sbin/pfctl"))
        }
    }
}
