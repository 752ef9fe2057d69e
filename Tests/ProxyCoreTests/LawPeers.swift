import ATSPolicy
import ProxyCore
import TLSEngine

/// One client of a ``LawRun``, with its tunnel.
final class LawClient {
    let book: Playbook
    let host: String
    let opener: Loader
    /// Set where it speaks HTTP/2.
    let streams: StreamPeer?
    /// Its hello was sent.
    var hasBegun = false
    /// The law under which its handshake was let go on.
    var admitted: ModelLaw?
    var linesRead = 0
    var recordsRead = 0

    init(_ book: Playbook, to host: String, from opener: Loader, _ streams: StreamPeer?) {
        self.book = book
        self.host = host
        self.opener = opener
        self.streams = streams
    }
}

/// What is at the other end of a link.
final class LawOrigin {
    let peer: OriginPeer
    let streams: StreamPeer?
    var answered = 0
    /// HTTP/1: a request waits for its answer.
    var owes = false

    /// It has answered all that it was asked.
    var owesNothing: Bool { !owes && answered == streams?.requests.count ?? 0 }

    init(_ peer: OriginPeer, _ streams: StreamPeer?) {
        self.peer = peer
        self.streams = streams
    }
}

/// Made once: keys and contexts cost more than the handshakes with them.
enum LawPeers {
    static let good = Result { try ServerTLSContext(settings: .sound("good.test", alpn: ["h2", "http/1.1"])) }
    static let weak = Result { try ServerTLSContext(settings: .staticRSA("weak.test")) }
    /// Of an app that takes whatever is passed through to it.
    static let eager = Result { try OriginTLSContext(offer: .diagnostic) }
}

extension Loader {
    /// A User-Agent that is taken for it.
    var agent: String {
        switch self {
        case .app: LawAgeTests.app
        case .web: LawAgeTests.web
        case .media: "AppleCoreMedia/1.0.0.22A3354 (iPhone; U; CPU OS 18_0 like Mac OS X)"
        }
    }
}
