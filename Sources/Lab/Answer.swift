import Bytes
import HTTPWire

/// The part of a request that has arrived.
struct ReceivedRequest {
    let head: RequestHead
    /// Bytes of the body so far.
    var bodyBytes: Int64 = 0
    /// The beginning of the body, if its route needs it.
    let keptBody = ByteQueue()
    var trailers: FieldBlock?

    init(_ head: RequestHead) {
        self.head = head
    }
}

/// An origin's response to a request.
struct Answer {
    enum Body {
        case bytes([UInt8])
        /// A number of bytes of ``GeneratedBody``.
        case generated(Int64)
        /// Chunk by chunk, if the client supports chunks.
        case chunks([String], trailers: FieldBlock?)
    }

    var status = 200
    var mediaType: String?
    var fields = FieldBlock()
    var body: Body
    /// How long to wait before answering.
    var delay: Duration?

    static func text(_ text: String, status: Int = 200) -> Answer {
        var answer = Answer(status: status, body: .bytes(Array(text.utf8)))
        answer.mediaType = "text/plain; charset=utf-8"
        return answer
    }

    static func refusal(_ text: String) -> Answer { Answer.text(text + "\n", status: 400) }

    var head: AnswerHead {
        let length: Int64? =
            switch body {
            case .bytes(let bytes): Int64(bytes.count)
            case .generated(let count): count
            case .chunks: nil
            }
        return AnswerHead(status: status, mediaType: mediaType, length: length, fields: fields)
    }
}

/// Generated content: byte `i` is `i` modulo 251, a prime, so that a lost or doubled block is noticed.
struct GeneratedBody {
    private(set) var left: Int64
    private var phase = 0

    init(_ bytes: Int64) {
        left = bytes
    }

    /// Passes the next bytes to `take`, ``pageBytes`` at most.
    mutating func next(_ take: (UnsafeRawBufferPointer) -> Void) {
        let count = Int(min(left, Int64(Self.pageBytes)))
        Self.pattern.withUnsafeBytes { take(UnsafeRawBufferPointer(rebasing: $0[phase..<(phase + count)])) }
        left -= Int64(count)
        phase = (phase + count) % Self.period
    }

    /// Four TLS records.
    static let pageBytes = 65_536
    static let period = 251
    private static let pattern = (0..<(pageBytes + period)).map { UInt8($0 % period) }
}
