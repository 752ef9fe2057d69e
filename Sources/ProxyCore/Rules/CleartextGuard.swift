import ATSPolicy
import Bytes
import HTTPWire
import Records

/// Stands in a relay whose cleartext may be denied: where it is, nothing that a server might take for a request passes, and
/// no answer of HTTP. What is said in between, in other protocols, is not looked at.
struct CleartextGuard {
    enum Passage {
        case pass
        /// It may become a request, or an answer of HTTP: nothing of it may be heard yet.
        case hold
        case refuse
    }

    /// The law's answer on cleartext of the origin.
    private(set) var ruled: TargetRuling
    /// Everything passes.
    private(set) var isOpen: Bool
    private var requests = RequestWatch()
    private var answers = AnswerWatch()
    /// The origin has shown that it speaks something else.
    private var isKnown: Bool
    private var originSpokeLast: Bool
    /// Bytes of the client's turn that are still to be looked at.
    private var unseen = Int.max

    init(_ ruled: TargetRuling, originHasSpoken: Bool) {
        self.ruled = ruled
        isOpen = ruled.isPermit
        isKnown = originHasSpoken
        originSpokeLast = originHasSpoken
    }

    /// Another law is in force. Of a conversation that it finds begun under one that let everything pass, nothing is known.
    mutating func rule(anew ruled: TargetRuling, originHasSpoken: Bool) {
        if isOpen {
            self = CleartextGuard(ruled, originHasSpoken: originHasSpoken)
            isKnown = false
        } else {
            self.ruled = ruled
            isOpen = ruled.isPermit
        }
    }

    /// What was refused goes on, and whatever follows.
    mutating func open() { isOpen = true }

    mutating func clientSays(_ bytes: UnsafeRawBufferPointer) -> Passage {
        guard !isOpen, !bytes.isEmpty else { return .pass }
        if originSpokeLast {
            originSpokeLast = false
            requests.beginTurn()
            if isKnown { unseen = Self.longestBeginning }
        }
        let seen = min(unseen, bytes.count)
        if unseen < .max { unseen -= seen }
        requests.takesOnlyTokens = isKnown
        if requests.finds(in: ByteView(bytes).slice(upTo: seen)) { return .refuse }
        return requests.isUndecided ? .hold : .pass
    }

    mutating func originSays(_ bytes: UnsafeRawBufferPointer) -> Passage {
        guard !isOpen, !bytes.isEmpty else { return .pass }
        if !originSpokeLast, answers.answer == .other { answers = AnswerWatch() }
        originSpokeLast = true
        switch answers.look(at: bytes) {
        case .http: return .refuse
        case .undecided: return isKnown ? .pass : .hold
        case .other:
            isKnown = true
            return .pass
        }
    }

    /// Of an origin that is known to speak another protocol, only the beginning of what the client says each time is
    /// looked at, in which a header of SOCKS (RFC 1928) may come before a request: mail and files may tell of requests.
    private static let longestBeginning = 2_048
}

extension SessionContext {
    /// The law's answer on HTTP in the clear to where a tunnel leads.
    func ruledOnCleartext(of tunnel: Tunnel) -> TargetRuling {
        ruled(on: LoadTarget(scheme: .http, host: tunnel.target.host, port: tunnel.target.port))
    }

    /// What a relay in a tunnel is guarded by.
    func cleartextGuard(of tunnel: Tunnel) -> CleartextGuard {
        CleartextGuard(ruledOnCleartext(of: tunnel), originHasSpoken: client.relayed.received > 0)
    }

    /// Whether HTTP in the clear may go on in a tunnel: where it is denied, audit mode lets it.
    func passesCleartext(in tunnel: Tunnel) -> Bool {
        loop.policy.rules.mode != .enforce || ruledOnCleartext(of: tunnel).isPermit
    }
}
