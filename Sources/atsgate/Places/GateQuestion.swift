import Foundation
import Setup
import Text

/// Asks an address whether a gate is there, by the one thing that every gate tells everybody.
enum GateQuestion {
    /// Blocks for ``patienceMilliseconds`` at most, twice.
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
        defer { freeaddrinfo(list) }
        let descriptor = socket(first.pointee.ai_family, first.pointee.ai_socktype, 0)
        guard descriptor >= 0 else { return .silent }
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        if connect(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) != 0 {
            guard errno == EINPROGRESS, isReady(descriptor, POLLOUT) else {
                return errno == ECONNREFUSED ? .refused : .silent
            }
            var code: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
            guard code == 0 else { return code == ECONNREFUSED ? .refused : .silent }
        }
        let request = Array("GET /lights.json HTTP/1.1\r\nHost: \(place)\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, 0) == request.count else { return .stranger }
        return reply(in: read(descriptor))
    }

    private static func read(_ descriptor: Int32) -> [UInt8] {
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while answer.count < 65_536, isReady(descriptor, POLLIN) {
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

    private static func isReady(_ descriptor: Int32, _ events: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return poll(&entry, 1, patienceMilliseconds) > 0
    }

    private static let patienceMilliseconds: Int32 = 2_000
}
