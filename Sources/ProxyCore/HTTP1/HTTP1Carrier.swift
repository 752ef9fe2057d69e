import ATSPolicy
import Bytes
import HTTPWire
import TLSEngine
import Text

/// One load on an HTTP/1.1 connection to its origin, whichever version its client speaks: the request goes out, the
/// answer comes in.
struct HTTP1Carrier {
    enum Reading {
        /// More is needed.
        case going
        case whole
        /// The answer's reader wants no more of it.
        case stopped
        case malformed(WireError)
    }

    let load: Load
    let link: OriginLink
    let context: SessionContext

    /// Writes the request's head in the form that the link's far end reads. Source: RFC 9112 section 3.2.2.
    func sendHead(keepUpgrade: Bool) {
        link.takeUp(load)
        link.noteLogin(in: load.head.fields)
        link.reader.expectResponse(to: load.head.method)
        link.compose(context.loop.scratch) { queue in
            var head = load.head
            head.countForward()
            // HTTP/1.0 may leave it out, and in a tunnel no target has it either. Source: RFC 9112 section 3.2.
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

    /// A piece of the request's body.
    func sendBody(_ bytes: UnsafeRawBufferPointer) {
        load.bytesSent += Int64(bytes.count)
        if load.head.framing == .chunked {
            link.compose(context.loop.scratch) { MessageWriter.chunk(bytes, to: $0) }
        } else {
            link.send(bytes)
        }
    }

    /// The request is whole.
    func endBody() {
        guard load.head.framing == .chunked else { return }
        link.compose(context.loop.scratch) { MessageWriter.chunkEnd(trailers: load.requestTrailers, to: $0) }
    }

    /// Reads what is there of the answer.
    ///
    /// - Returns: the bytes used, and how the answer stands.
    func read(_ bytes: UnsafeRawBufferPointer, for reader: some AnswerReader) -> (used: Int, reading: Reading) {
        var used = 0
        do throws(WireError) {
            while true {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
                let step = try link.reader.next(in: rest)
                if let range = step.body {
                    load.bytesReceived += Int64(range.count)
                    reader.answerBody(UnsafeRawBufferPointer(rebasing: rest[range]))
                }
                used += step.consumed
                switch step.event {
                case .responseHead(let head):
                    if !head.isPersistent { link.mayKeep = false }
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

    /// The origin has closed. Returns whether that ends the answer properly: without close_notify, a body that lasts
    /// until close may have been cut. Source: RFC 9112 section 9.8.
    func endsProperly(reset: Bool) -> Bool {
        link.mayKeep = false
        guard !reset, link.tls == nil || link.tls?.state == .closed else { return false }
        guard case .end? = (try? link.reader.endOfInput()) ?? nil else { return false }
        return true
    }
}

/// Hears what an HTTP/1.1 origin answers.
protocol AnswerReader {
    /// A head came, interim ones too. Returns whether to read on.
    func answerBegan(_ head: ResponseHead) -> Bool
    func answerBody(_ bytes: UnsafeRawBufferPointer)
}

/// How this gate names itself. Source: RFC 9110 section 7.6.3.
enum Via {
    static let name: StaticString = "atsgate"
}

extension Load {
    /// What is asked for as a whole URL, whatever form the client used.
    fileprivate var wholeTarget: RequestTarget {
        if case .absolute = head.target { return head.target }
        let port = target.port == target.scheme.defaultPort ? nil : target.port
        return .absolute(AbsoluteTarget(scheme: target.scheme.rawValue, host: target.host, port: port, path: pathText))
    }
}

extension LoadTarget {
    /// As Host has it. Source: RFC 9110 section 7.2.
    fileprivate var authority: String {
        Authority(host: host, port: port == scheme.defaultPort ? nil : port).description
    }
}

extension OriginLink {
    /// NTLM and Negotiate log a connection in, not a request: from then on it is its client's own. Source: RFC 4559
    /// section 6; RFC 9110 section 11.6.3.
    func noteLogin(in fields: FieldBlock) {
        if !isPrivate, fields.bindConnection { isPrivate = true }
    }
}

extension FieldBlock {
    fileprivate var bindConnection: Bool {
        Self.loginFields.contains { name in
            contains(name)
                && values(of: name).contains { value in
                    value.split(separator: ",").contains { challenge in
                        let scheme = challenge.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
                        return Self.connectionSchemes.contains(scheme.lowercased())
                    }
                }
        }
    }

    private static let loginFields: [KnownField] = [.authorization, .wwwAuthenticate]
    private static let connectionSchemes: Set<String> = ["ntlm", "negotiate"]
}
