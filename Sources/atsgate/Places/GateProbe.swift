import Foundation
import Setup
import Text

/// Checks for a gate at an address, with the one request that every gate answers without a token.
enum GateProbe {
    /// Tries each address of the host until one is a gate, so that `localhost` finds a gate at 127.0.0.1 even if ::1
    /// comes first. Blocks for at most ``timeout``, plus the time of the name lookup.
    ///
    /// - Returns: The most informative reply: from a gate, from another server, a refusal, or silence.
    static func ask(_ place: Text.Authority) -> DoctorQuestion.Reply {
        var hints = addrinfo()
        #if canImport(Glibc) || canImport(Musl)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(place.host, String(place.port ?? 80), &hints, &list) == 0, let first = list else {
            return .silent
        }
        defer { freeaddrinfo(first) }
        let addresses = Array(sequence(first: first) { $0.pointee.ai_next })
        let end = ContinuousClock.now + timeout
        var best = DoctorQuestion.Reply.silent
        for (index, address) in addresses.enumerated() {
            // An equal share of the remaining time, so that a silent address leaves time for the next.
            let share = ContinuousClock.now.duration(to: end) / (addresses.count - index)
            switch ask(address.pointee, as: place, until: .now + share) {
            case .gate(let fingerprint, let policy): return .gate(fingerprint: fingerprint, policy: policy)
            case .stranger: best = .stranger
            case .refused where best == .silent: best = .refused
            case .refused, .silent: break
            }
        }
        return best
    }

    private static func ask(
        _ address: addrinfo, as place: Text.Authority, until end: ContinuousClock.Instant
    ) -> DoctorQuestion.Reply {
        let descriptor = socket(address.ai_family, address.ai_socktype, 0)
        guard descriptor >= 0 else { return .silent }
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        if connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 {
            guard errno == EINPROGRESS else { return errno == ECONNREFUSED ? .refused : .silent }
            guard isReady(descriptor, POLLOUT, until: end) else { return .silent }
            var code: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
            guard code == 0 else { return code == ECONNREFUSED ? .refused : .silent }
        }
        let request = Array("GET /lights.json HTTP/1.1\r\nHost: \(place)\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, 0) == request.count else { return .stranger }
        return reply(in: read(descriptor, until: end))
    }

    /// Reads until `end`, until the peer closes, or until the answer is longer than any gate's.
    private static func read(_ descriptor: Int32, until end: ContinuousClock.Instant) -> [UInt8] {
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while answer.count < longestAnswerBytes, isReady(descriptor, POLLIN, until: end) {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            answer += buffer[..<count]
        }
        return answer
    }

    private static func reply(in answer: [UInt8]) -> DoctorQuestion.Reply {
        struct Lights: Decodable {
            var fingerprint: String
            var policy: String?
        }

        let text = String(decoding: answer, as: UTF8.self)
        guard let start = text.firstRange(of: "\r\n\r\n"),
            let lights = try? JSONDecoder().decode(Lights.self, from: Data(text[start.upperBound...].utf8))
        else { return .stranger }
        return .gate(fingerprint: lights.fingerprint, policy: lights.policy)
    }

    private static func isReady(_ descriptor: Int32, _ events: Int32, until end: ContinuousClock.Instant) -> Bool {
        let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
        guard left > 0 else { return false }
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return poll(&entry, 1, Int32(left.rounded(.up))) > 0
    }

    private static let timeout = Duration.seconds(4)
    private static let longestAnswerBytes = 65_536
}
