import HTTPWire

/// All events of a reader as text: one line per event, body pieces joined.
struct Transcript: Equatable {
    var lines: [String] = []
    /// The error that ended the reading.
    var error: WireError?
    private var body: [UInt8] = []

    /// Feeds `bytes` in pieces of the given sizes, then the rest and the end of input.
    static func of(
        _ bytes: [UInt8], pieces: [Int] = [], limits: WireLimits = WireLimits(), responsesTo methods: [Method]? = nil
    ) -> Transcript {
        var transcript = Transcript()
        var feed = Feed(
            reader: methods == nil ? .requests(limits: limits) : .responses(limits: limits), methods: methods ?? [])
        do throws(WireError) {
            var given = 0
            for piece in pieces where given < bytes.count {
                let end = min(given + piece, bytes.count)
                try feed.take(bytes[given..<end], into: &transcript)
                given = end
            }
            try feed.take(bytes[given...], into: &transcript)
            while let event = try feed.reader.endOfInput() { transcript.add(event, payload: []) }
        } catch {
            transcript.flush()
            transcript.error = error
        }
        transcript.flush()
        return transcript
    }

    mutating func add(_ event: MessageReader.Event, payload: ArraySlice<UInt8>) {
        if case .body(let count) = event {
            if count != payload.count { lines.append("body of \(count) bytes, but \(payload.count) in its range") }
            body += payload
            return
        }
        flush()
        switch event {
        case .requestHead(let head):
            lines.append(
                "\(head.method.name) \(head.target) 1.\(head.minorVersion) \(head.framing)"
                    + "\(head.isPersistent ? " persistent" : "")\(head.expectsContinue ? " continue" : "")")
            addFields(head.fields)
        case .responseHead(let head):
            lines.append(
                "\(head.status) \(head.reason) 1.\(head.minorVersion) \(head.framing)"
                    + "\(head.isPersistent ? " persistent" : "")")
            addFields(head.fields)
        case .trailers(let fields):
            lines.append("trailers")
            addFields(fields)
        case .end: lines.append("end")
        case .body: break
        }
    }

    private mutating func addFields(_ fields: FieldBlock) {
        fields.forEach { name, value, _ in
            lines.append("  \(String(decoding: name, as: UTF8.self))=\(String(decoding: value, as: UTF8.self))")
        }
    }

    private mutating func flush() {
        if !body.isEmpty { lines.append("body \(String(decoding: body, as: UTF8.self))") }
        body = []
    }
}

/// A reader with its unconsumed bytes, as in a connection.
struct Feed {
    var reader: MessageReader
    var waiting: [UInt8] = []
    /// The methods of the requests whose responses are expected, in order.
    var methods: [Method] = []

    init(reader: MessageReader, methods: [Method] = []) {
        self.reader = reader
        self.methods = methods
        expectNext()
    }

    mutating func take(_ bytes: ArraySlice<UInt8>, into transcript: inout Transcript) throws(WireError) {
        waiting += bytes
        while true {
            let step = try next()
            if let event = step.event {
                transcript.add(event, payload: step.body.map { waiting[$0] } ?? [])
            }
            waiting.removeFirst(step.consumed)
            guard let event = step.event else { return }
            if case .end = event { expectNext() }
        }
    }

    private mutating func next() throws(WireError) -> MessageReader.Step {
        try waiting.withUnsafeBytes { outcome(of: &reader, $0) }.get()
    }

    private mutating func expectNext() {
        guard !methods.isEmpty else { return }
        reader.expectResponse(to: methods.removeFirst())
    }
}

/// Returns the reader's next step in `bytes`.
func outcome(of reader: inout MessageReader, _ bytes: UnsafeRawBufferPointer) -> Result<MessageReader.Step, WireError> {
    do throws(WireError) {
        return .success(try reader.next(in: bytes))
    } catch {
        return .failure(error)
    }
}

/// Text with `|` for CRLF, so that tables stay readable.
func wire(_ text: String) -> [UInt8] {
    text.utf8.flatMap { $0 == UInt8(ascii: "|") ? [13, 10] : [$0] }
}
