import Capture
import Foundation
import NetLoop
import Synchronization
import Testing
import Text

@Suite("names that a command was told")
struct NameTests {
    @Test("a flood of questions for slow names is refused at once, and over when they are answered")
    func flood() throws {
        let slow = SlowNames()
        let answerer = NameAnswerer(slow)
        let message = DNSQuestionTests.message(DNSQuestionTests.name("slow.example"))
        for _ in 0..<3 {
            let codes = Mutex<[UInt8]>([])
            for _ in 0..<600 { answerer.take(message) { bytes in codes.withLock { $0.append(bytes[3] & 0x0F) } } }
            #expect(codes.withLock { $0 } == Array(repeating: 2, count: 88))
            slow.answerAll()
            #expect(codes.withLock { $0.count } == 600)
        }
    }

    @Test("who asks at an address is answered by UDP, and addresses of others are refused")
    func served() throws {
        struct One: NameResolving {
            func answer(for host: String, later: @escaping @Sendable (NameAnswer) -> Void) -> NameReply {
                HostAddress("192.0.2.9").map { .known(.addresses([$0])) } ?? .known(.failed(code: -2))
            }
        }
        let server = try NameServer(at: "127.0.0.1", port: 0, asking: One())
        defer { server.stop() }
        let answer = Self.ask(DNSQuestionTests.message(DNSQuestionTests.name("a.test")), at: server.port)
        #expect(answer.suffix(4) == [192, 0, 2, 9])
        #expect(throws: NetError.badAddress("localhost:0")) { try NameServer(at: "localhost", port: 0) }
        #expect(throws: NetError.addressInUse("127.0.0.1:\(server.port)")) {
            try NameServer(at: "127.0.0.1", port: server.port)
        }
        // 192.0.2.0/24 is nobody's: RFC 5737.
        #expect(throws: NetError.cannotListen("192.0.2.1:9853", errno: EADDRNOTAVAIL)) {
            try NameServer(at: "192.0.2.1", port: 9_853)
        }
    }

    @Test("all addresses of one version leave those of the other to somebody else")
    func versions() throws {
        // The port may be somebody's already, by the other version.
        for _ in 0..<20 {
            let sixth = try NameServer(at: "::", port: 0)
            defer { sixth.stop() }
            guard let fourth = try? NameServer(at: "0.0.0.0", port: sixth.port) else { continue }
            return fourth.stop()
        }
        Issue.record("no port was free for the other version, 20 times")
    }

    /// What comes back within ten seconds; empty for nothing.
    private static func ask(_ message: [UInt8], at port: UInt16) -> [UInt8] {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_DGRAM, 0)
        #endif
        defer { close(descriptor) }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let sent = withUnsafeBytes(of: &place) { bytes in
            bytes.baseAddress.map {
                sendto(descriptor, message, message.count, 0, $0.assumingMemoryBound(to: sockaddr.self), size)
            }
        }
        var answer = [UInt8](repeating: 0, count: 512)
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard sent == message.count, poll(&waiting, 1, 10_000) == 1 else { return [] }
        let count = recv(descriptor, &answer, answer.count, 0)
        return Array(answer.prefix(max(0, count)))
    }

    @Test("resolv.conf keeps the search list and the options, and names another server")
    func file() {
        let text = ResolverFile.text(
            from: "# mine\nnameserver 10.0.0.1\nsearch corp.example\n nameserver 10.0.0.2\noptions edns0\nsortlist 1\n")
        #expect(text == "nameserver 127.0.0.1\nsearch corp.example\noptions edns0\n")
        #expect(ResolverFile.text(from: "") == "nameserver 127.0.0.1\n")
    }
}

/// Answers when it is told to.
private final class SlowNames: NameResolving {
    private let waiting = Mutex<[@Sendable (NameAnswer) -> Void]>([])

    func answer(for host: String, later: @escaping @Sendable (NameAnswer) -> Void) -> NameReply {
        waiting.withLock { $0.append(later) }
        return .pending(Lookup {})
    }

    func answerAll() {
        let all = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for answer in all { answer(.failed(code: -2)) }
    }
}
