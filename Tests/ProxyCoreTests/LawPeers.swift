import ATSPolicy
import ProxyCore
import TLSEngine

/// One client of a ``PolicyRun``, with its tunnel.
final class LawClient {
    let book: Playbook
    let host: String
    let opener: Loader
    /// nil if the client uses HTTP/1.
    let streams: StreamPeer?
    /// True after the client's hello was sent.
    var hasBegun = false
    /// The rules under which the client's handshake was allowed to finish.
    var admitted: ModelRules?
    var linesRead = 0
    var recordsRead = 0

    init(_ book: Playbook, to host: String, from opener: Loader, _ streams: StreamPeer?) {
        self.book = book
        self.host = host
        self.opener = opener
        self.streams = streams
    }
}

/// The origin at the other end of a link.
final class LawOrigin {
    let peer: OriginPeer
    let streams: StreamPeer?
    var answered = 0
    /// HTTP/1: a request waits for its response.
    var hasPendingRequest = false

    /// True if every request has been answered.
    var owesNothing: Bool { !hasPendingRequest && answered == streams?.requests.count ?? 0 }

    init(_ peer: OriginPeer, _ streams: StreamPeer?) {
        self.peer = peer
        self.streams = streams
    }
}

/// Created once: keys and contexts cost more than the handshakes with them.
enum LawPeers {
    static let good = Result { try ServerTLSContext(settings: .sound("good.test", alpn: ["h2", "http/1.1"])) }
    static let weak = Result { try ServerTLSContext(settings: .staticRSA("weak.test")) }
    /// For an app that accepts every passthrough origin.
    static let acceptingApp = Result { try OriginTLSContext(offer: .diagnostic) }
}

extension Loader {
    /// A User-Agent that is recognized as this loader.
    var agent: String {
        switch self {
        case .app: LawAgeTests.app
        case .web: LawAgeTests.web
        case .media: "AppleCoreMedia/1.0.0.22A3354 (iPhone; U; CPU OS 18_0 like Mac OS X)"
        }
    }
}
