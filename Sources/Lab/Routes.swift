import Bytes
import Foundation
import HTTPWire

/// The properties of an origin that its responses depend on.
struct Site: Sendable {
    let name: String
    /// The target of redirects from `/`.
    let redirect: String?
}

/// The responses that all origins share: one route per way of testing a proxy.
enum Routes {
    /// - Parameter site: the requested origin.
    static func answer(to request: ReceivedRequest, at site: Site) -> Answer {
        guard let path = request.head.path else {
            return request.head.target == .asterisk
                ? .text("") : .text("no tunnels here\n", status: 405)
        }
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts.count > 1 ? parts[1] : ""
        let names = (parts.first ?? "").split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(
            String.init)
        switch (names.first ?? "", names.dropFirst().first) {
        case ("", nil) where site.redirect != nil: return redirect(to: site.redirect)
        case ("", nil): return .text("This is \(site.name), an origin of the atsgate lab.\n")
        case ("bytes", let count?): return bytes(count)
        case ("chunked", nil): return chunked(trailers: nil)
        case ("trailers", nil): return trailers()
        case ("echo", nil): return echo(request, path)
        case ("upload", nil): return .text("\(request.bodyBytes)\n")
        case ("redirect", nil): return redirect(to: value(of: "to", in: query))
        case ("status", let status?): return self.status(status)
        case ("slow", nil): return slow(value(of: "ms", in: query))
        default: return .text("no such route\n", status: 404)
        }
    }

    /// Returns how many bytes of the body the route needs; the rest is counted and dropped.
    static func keptBytes(of head: RequestHead) -> Int {
        head.path?.hasPrefix("/echo") == true ? echoLimitBytes : 0
    }

    private static func bytes(_ text: String) -> Answer {
        guard let count = Int64(text), (0...longestBytes).contains(count) else {
            return .refusal("/bytes/N takes 0 to \(longestBytes)")
        }
        var answer = Answer(body: .generated(count))
        answer.mediaType = "application/octet-stream"
        return answer
    }

    private static func trailers() -> Answer {
        var trailers = FieldBlock()
        trailers.append("X-Lab-Lines", "\(lines.count)")
        trailers.append("X-Lab-End", "reached")
        var answer = chunked(trailers: trailers)
        answer.fields.append(.trailer, "X-Lab-Lines, X-Lab-End")
        return answer
    }

    private static func chunked(trailers: FieldBlock?) -> Answer {
        var answer = Answer.text("")
        answer.body = .chunks(lines, trailers: trailers)
        return answer
    }

    /// The request line, fields, trailers, an empty line, and the body up to ``echoLimitBytes``.
    private static func echo(_ request: ReceivedRequest, _ path: String) -> Answer {
        var text = "\(request.head.method.name) \(path) HTTP/1.\(request.head.minorVersion)\n"
        for block in [request.head.fields, request.trailers ?? FieldBlock()] {
            block.forEach { name, value, _ in
                text += String(decoding: name, as: UTF8.self) + ": " + String(decoding: value, as: UTF8.self) + "\n"
            }
        }
        var answer = Answer.text(text + "\n")
        answer.body = .bytes(Array((text + "\n").utf8) + request.keptBody.bytes)
        answer.fields.append("X-Lab-Body-Bytes", "\(request.bodyBytes)")
        return answer
    }

    private static func redirect(to target: String?) -> Answer {
        var answer = Answer.text("")
        answer.status = 302
        guard let target, !target.isEmpty, answer.fields.append(.location, target) else {
            return .refusal("/redirect?to=URL takes a percent-encoded URL")
        }
        return answer
    }

    private static func status(_ text: String) -> Answer {
        guard let status = Int(text), (200...599).contains(status) else {
            return .refusal("/status/NNN takes 200 to 599")
        }
        return .text(status == 205 ? "" : "status \(status)\n", status: status)
    }

    private static func slow(_ text: String?) -> Answer {
        guard let delay = text.flatMap({ Int($0) }), (0...longestDelayMilliseconds).contains(delay) else {
            return .refusal("/slow?ms=N takes 0 to \(longestDelayMilliseconds)")
        }
        var answer = Answer.text("waited \(delay) ms\n")
        answer.delay = .milliseconds(delay)
        return answer
    }

    /// Returns the first value of a query parameter, percent-decoded.
    private static func value(of name: String, in query: Substring) -> String? {
        query.split(separator: "&").first { $0.hasPrefix(name + "=") }?
            .dropFirst(name.count + 1).removingPercentEncoding
    }

    private static let lines = (1...10).map { "line \($0)\n" }
    /// 10 GiB.
    private static let longestBytes: Int64 = 10 << 30
    private static let longestDelayMilliseconds = 10_000
    private static let echoLimitBytes = 1 << 20
}

extension RequestHead {
    /// Path and query; nil for CONNECT and `*`.
    fileprivate var path: String? {
        switch target {
        case .path(let path): path
        case .absolute(let target): target.path
        case .authority, .asterisk: nil
        }
    }
}
