import ATSPolicy
import HTTP2Engine
import TLSEngine

/// Why a connection ended, grouped by the party that caused it.
enum EndReason {
    /// Everything is recorded already.
    case settled
    case client(Client)
    case origin(Origin)
    case gate(Gate)

    enum Client {
        /// It closed or broke its connection.
        case left
        /// It neither sent nor read anything for this time.
        case stalled(Duration)
    }

    enum Origin {
        case left(reset: Bool)
    }

    enum Gate {
        case stopped
        /// Another connection needed its descriptor.
        case shed
        /// The memory for unread bytes was spent, and this client had not read for longest.
        case overBudget
        case fault(GateFault)
    }

    /// The finding about a load or tunnel that was in flight.
    ///
    /// - Parameter bytes: the bytes of the response so far.
    func finding(after bytes: Int64) -> Finding? {
        switch self {
        case .settled: nil
        case .client(.left): .clientGone(after: bytes)
        case .client(.stalled(let limit)): .clientStalled(limit)
        case .origin(.left(let reset)): .originCut(after: bytes, reset: reset)
        case .gate(.stopped): .gateStopped
        case .gate(.shed): .shed
        case .gate(.overBudget): .overBudget
        case .gate(.fault(let fault)): .gateFault(fault)
        }
    }
}

/// An error of the gate itself, never an imitation of a device.
enum GateFault: Error {
    /// A TLS machine towards the client or an origin could not be set up.
    case tls(TLSSetupError)
    /// No leaf could be minted for this host.
    case leaf(host: String, CertificateError)
    /// An HTTP/2 session could not be created.
    case http2(HTTP2Failure)

    var words: String {
        switch self {
        case .tls(let error): "TLS could not be set up: \(error)."
        case .leaf(let host, let error): "No certificate could be made for \(host): \(error)."
        case .http2(let failure): "HTTP/2 could not be set up: \(failure.words)"
        }
    }
}
