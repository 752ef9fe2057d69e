import ATSPolicy
import Bytes
import HTTPWire
import TLSEngine
import Text

/// One load on an HTTP/1.1 connection to its origin, for clients of any HTTP version: writes the request, reads the
/// answer.
struct HTTP1Carrier {
    enum Reading {
        /// More bytes are needed.
        case going
        case whole
        /// The response's reader accepts no more of it.
        case stopped
        case malformed(WireError)
    }

    /// The Upgrade field that the origin receives.
    enum ForwardedUpgrade {
        case none
        case asReceived
        case only([String])
    }

    let load: Load
    let link: OriginLink
    let context: SessionContext

    /// Writes the request's head in the form for an origin or for a parent proxy. Source: RFC 9112 section 3.2.2.
    func sendHead(upgrade: ForwardedUpgrade) {
        context.begin(load, on: link)
        link.noteLogin(in: load.head.fields)
        link.reader.expectResponse(to: load.head.method)
        link.compose(context.loop.scratch) { queue in
            var head = load.head
            head.countForward()
            if case .only(let names) = upgrade { head.fields.set(.upgrade, names.joined(separator: ", ")) }
            let keepUpgrade = if case .none = upgrade { false } else { true }
            // HTTP/1.0 may omit Host, and inside a tunnel the target does not contain it. Source: RFC 9112 section 3.2.
            if !head.fields.contains(.host) { head.fields.append(.host, load.target.authority) }
            guard case .parent(_, let authorization) = link.route else {
                return MessageWriter.request(
                    head, asOriginForm: true, via: Via.name, to: queue, keepUpgrade: keepUpgrade)
            }
            head.target = load.wholeTarget
            MessageWriter.request(
                head, asOriginForm: false, via: Via.name, to: queue, keepUpgrade: keepUpgrade,
                proxyAuthorization: authorization)
        }
    }

    /// Writes a part of the request's body.
    func sendBody(_ bytes: UnsafeRawBufferPointer) {
        load.bytesSent += Int64(bytes.count)
        if load.head.framing == .chunked {
            link.compose(context.loop.scratch) { MessageWriter.chunk(bytes, to: $0) }
        } else {
            link.send(bytes)
        }
    }

    /// Ends the request's body.
    func endBody() {
        guard load.head.framing == .chunked else { return }
        link.compose(context.loop.scratch) { MessageWriter.chunkEnd(trailers: load.requestTrailers, to: $0) }
    }

    /// Reads the available part of the response.
    ///
    /// - Returns: the bytes used, and the state of the response.
    func read(_ bytes: UnsafeRawBufferPointer, for reader: some AnswerReader) -> (used: Int, reading: Reading) {
        var used = 0
        do throws(WireError) {
            while true {
                let rest = ByteView(bytes).slice(from: used)
                let step = try link.reader.next(in: rest)
                if let range = step.body {
                    load.bytesReceived += Int64(range.count)
                    reader.answerBody(ByteView(rest).slice(range))
                }
                used += step.consumed
                switch step.event {
                case .responseHead(let head):
                    if !head.isPersistent { link.isReusable = false }
                    link.noteLogin(in: head.fields)
                    if !reader.answerBegan(head) { return (used, .stopped) }
                case .trailers(let trailers): load.answerTrailers = load.passed(trailers, in: context)
                case .end: return (used, .whole)
                case .requestHead, .body: continue
                case nil: return (used, .going)
                }
            }
        } catch {
            return (used, .malformed(error))
        }
    }

    /// Handles the origin's close. Returns true if the response is complete: without close_notify, a body that lasts
    /// until close may have been cut. Source: RFC 9112 section 9.8.
    func endsProperly(reset: Bool) -> Bool {
        link.isReusable = false
        guard !reset, link.tls == nil || link.tls?.state == .closed else { return false }
        guard case .end? = (try? link.reader.endOfInput()) ?? nil else { return false }
        return true
    }
}

/// Receives the response of an HTTP/1.1 origin.
protocol AnswerReader {
    /// Receives a head, also interim ones. Returns true to continue reading.
    func answerBegan(_ head: ResponseHead) -> Bool
    func answerBody(_ bytes: UnsafeRawBufferPointer)
}

/// The gate's name in Via fields. Source: RFC 9110 section 7.6.3.
enum Via {
    static let name: StaticString = "atsgate"
}

extension Load {
    /// The target as an absolute URL, regardless of the form that the client used.
    fileprivate var wholeTarget: RequestTarget {
        if case .absolute = head.target { return head.target }
        let port = target.port == target.scheme.defaultPort ? nil : target.port
        return .absolute(AbsoluteTarget(scheme: target.scheme.rawValue, host: target.host, port: port, path: pathText))
    }
}

extension LoadTarget {
    /// The value of the Host field. Source: RFC 9110 section 7.2.
    fileprivate var authority: String {
        Authority(host: host, port: port == scheme.defaultPort ? nil : port).description
    }
}
