public import ATSPolicy
public import Bytes
import HTTPWire

/// The CONNECT conversation with a parent proxy, without a socket. Source: RFC 9110 section 9.3.6.
public final class ParentTunnel {
    /// The state of the conversation.
    public enum Outcome: Sendable, Hashable {
        case waiting
        /// The tunnel is open. `early` has the bytes that the origin has already sent.
        case open(early: [UInt8])
        case failed(ParentTrouble)
    }

    private var reader = MessageReader.responses(limits: WireLimits())
    private let inbox = ByteQueue()
    /// Source: RFC 9110 section 7.6.3.
    private static let ownName: StaticString = "atsgate"

    public init() {
        reader.expectResponse(to: .connect)
    }

    /// Requests the tunnel.
    ///
    /// - Parameter authorization: the value of Proxy-Authorization.
    public func ask(host: String, port: Int, authorization: String?, to queue: ByteQueue) {
        MessageWriter.request(
            RequestHead(method: .connect, target: .authority(host: host, port: port)), asOriginForm: false,
            via: Self.ownName, to: queue, proxyAuthorization: authorization)
    }

    /// Reads more of the parent's answer. Must not be called again after it returned anything but `waiting`.
    public func receive(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        inbox.append(bytes)
        do throws(WireError) {
            while true {
                let step = try reader.next(in: inbox.bytes)
                inbox.consume(step.consumed)
                guard let event = step.event else { return .waiting }
                guard case .responseHead(let head) = event, !head.isInterim else { continue }
                guard 200..<300 ~= head.status else { return .failed(.answered(status: head.status)) }
                return .open(early: Array(inbox.bytes))
            }
        } catch {
            return .failed(.gaveNoAnswer)
        }
    }
}
