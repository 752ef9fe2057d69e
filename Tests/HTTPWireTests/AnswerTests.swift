import Bytes
import HTTPWire
import Testing

/// Responses that atsgate writes itself: the gate's, its pages', the lab's.
struct AnswerTests {
    private func answer(
        _ request: String?, _ status: Int = 200, length: Int64? = 3, isLast: Bool = false
    ) throws -> (text: String, form: AnswerFraming) {
        var head = AnswerHead(status: status, mediaType: "text/plain", length: length)
        head.fields.append(.server, "gate")
        let queue = ByteQueue()
        let form = MessageWriter.answer(head, to: try request.map(read), isLast: isLast, queue: queue)
        return (String(decoding: queue.bytes, as: UTF8.self).replacing("\r\n", with: "|"), form)
    }

    private func read(_ text: String) throws -> RequestHead {
        var reader = MessageReader.requests()
        let step = try wire(text).withUnsafeBytes { outcome(of: &reader, $0) }.get()
        guard case .requestHead(let head)? = step.event else { throw WireError.headCutShort }
        return head
    }

    private let get = "GET / HTTP/1.1|Host: a||"

    @Test("a known length is sent, and the connection persists unless either side closes it")
    func fixed() throws {
        let (text, form) = try answer(get)
        #expect(text == "HTTP/1.1 200 OK|Content-Type: text/plain|Content-Length: 3|Server: gate||")
        #expect(form.framing == .fixed(3) && form.isPersistent)
        for (request, isLast) in [
            (get, true), (nil, false), ("GET / HTTP/1.1|Host: a|Connection: close||", false),
            ("GET / HTTP/1.0||", false),
        ] {
            let (text, form) = try answer(request, isLast: isLast)
            #expect(text.hasSuffix("|Server: gate|Connection: close||"))
            #expect(form.framing == .fixed(3) && !form.isPersistent)
        }
    }

    @Test("an unknown length is sent in chunks, or to HTTP/1.0 until the connection ends")
    func open() throws {
        let chunked = try answer(get, length: nil)
        #expect(chunked.text.contains("|Transfer-Encoding: chunked|"))
        #expect(chunked.form.framing == .chunked && chunked.form.isPersistent)
        let old = try answer("GET / HTTP/1.0||", length: nil)
        #expect(!old.text.contains("Transfer-Encoding") && old.text.hasSuffix("Connection: close||"))
        #expect(old.form.framing == .untilClose && !old.form.isPersistent)
    }

    @Test("HEAD, 204 and 304 get no body, and only HEAD gets a Content-Length")
    func bodiless() throws {
        let head = try answer("HEAD / HTTP/1.1|Host: a||")
        #expect(head.text.contains("|Content-Length: 3|") && head.form.framing == nil && head.form.isPersistent)
        let open = try answer("HEAD / HTTP/1.1|Host: a||", length: nil)
        #expect(open.form.framing == nil && open.form.isPersistent)
        for status in [204, 304] {
            let (text, form) = try answer(get, status)
            #expect(!text.contains("Content-Length") && form.framing == nil && form.isPersistent)
        }
    }

    @Test("each status has its registered phrase, and text cannot add a line")
    func phrases() throws {
        for (status, phrase) in [(421, "Misdirected Request"), (431, "Request Header Fields Too Large"), (599, "")] {
            #expect(try answer(get, status).text.hasPrefix("HTTP/1.1 \(status) \(phrase)|"))
        }
        for error in WireError.allCases { #expect(ReasonPhrase.of(error.status).utf8CodeUnitCount > 0) }
        let queue = ByteQueue()
        MessageWriter.answer(AnswerHead(mediaType: "a\r\nX: y", length: 0), to: nil, queue: queue)
        #expect(!String(decoding: queue.bytes, as: UTF8.self).contains("\nX: y"))
    }
}
