import CCapture
public import NetLoop
import Synchronization
import Text

/// A DNS server for a command or for devices. Answers with the results of the gate's own resolver.
public final class NameServer: Sendable {
    private let answerer: NameAnswerer
    private let datagrams: [DatagramSocket]
    private let streams: NameStreams?
    /// The port where it listens; in a command's own network always 53.
    package let port: UInt16

    /// Serves until ``stop()``.
    ///
    /// - Parameters:
    ///   - space: its DNS sockets are used.
    ///   - resolver: may be the one that the gate dials with; addresses keep its order.
    public init(
        for space: CaptureSpace, asking resolver: any NameResolving = Resolver()
    ) throws(CaptureFailure) {
        let answerer = NameAnswerer(resolver)
        self.answerer = answerer
        port = 53
        datagrams = space.takeNameSockets().map { Self.socket($0, answerer) }
        do throws(NetError) {
            streams = try NameStreams(space.nameListeners, space.sockets, answerer)
        } catch {
            throw CaptureFailure(error)
        }
        for socket in datagrams { socket.start() }
    }

    /// Serves clients at an address, by UDP and TCP, until ``stop()``.
    ///
    /// - Parameters:
    ///   - host: an IP address.
    ///   - port: 0 lets the system choose one.
    ///   - resolver: addresses keep its order.
    public init(
        at host: String, port: UInt16, asking resolver: any NameResolving = Resolver()
    ) throws(NetError) {
        let answerer = NameAnswerer(resolver)
        self.answerer = answerer
        let socket: DatagramSocket
        (self.port, socket, streams) = try Self.open(at: host, port, answerer)
        datagrams = [socket]
        socket.start()
    }

    /// Opens both sockets. A port that the system chose for UDP may be in use for TCP, also by a client; then another
    /// is tried.
    private static func open(
        at host: String, _ port: UInt16, _ answerer: NameAnswerer
    ) throws(NetError) -> (UInt16, DatagramSocket, NameStreams?) {
        let wanted = Authority(host: host, port: Int(port)).description
        var triesLeft = port == 0 ? choices : 1
        while true {
            var port = port
            let descriptor = ccapture_bind(host, &port)
            switch -descriptor {
            case ...0: break
            case EADDRINUSE: throw .addressInUse(wanted)
            case EINVAL: throw .badAddress(wanted)
            case let code: throw .cannotListen(wanted, errno: code)
            }
            let socket = socket(descriptor, answerer)
            triesLeft -= 1
            do throws(NetError) {
                let place = CaptureSpace.Endpoint(host: host, port: Int(port))
                return (port, socket, try NameStreams([place], .none, answerer))
            } catch {
                guard case .addressInUse = error, triesLeft > 0 else { throw error }
            }
        }
    }

    /// Stops answering. May be called again.
    public func stop() {
        for socket in datagrams { socket.stop() }
        streams?.stop()
    }

    private static func socket(_ descriptor: Int32, _ answerer: NameAnswerer) -> DatagramSocket {
        DatagramSocket(descriptor, longest: longestQuestion) { message, answer in
            answerer.take(message, answer: answer)
        }
    }

    /// The maximum number of ports to try if the system chooses.
    private static let choices = 8

    /// In bytes: even with extensions a question is shorter (RFC 6891).
    private static let longestQuestion = 1_232
}

/// Answers DNS messages from datagrams and connections.
package final class NameAnswerer: Sendable {
    private let resolver: any NameResolving
    private let underWay = Mutex(0)

    package init(_ resolver: any NameResolving) {
        self.resolver = resolver
    }

    /// - Parameter answer: called at most once, on any thread; not called if the message is not a question.
    package func take(_ message: [UInt8], answer: @escaping @Sendable ([UInt8]) -> Void) {
        switch DNSQuestion.read(message) {
        case .nothing: break
        case .answered(let bytes): answer(bytes)
        case .question(let question): take(question, answer)
        }
    }

    private func take(_ question: DNSQuestion, _ answer: @escaping @Sendable ([UInt8]) -> Void) {
        // The name may have records of this type, but they are not needed for any connection here.
        guard question.wanted != .other else { return answer(question.answer([])) }
        guard question.isResolvable else { return answer(question.answer(.noSuchName)) }
        let isTaken = underWay.withLock { count in
            guard count < Self.most else { return false }
            count += 1
            return true
        }
        guard isTaken else { return answer(question.answer(.serverFailure)) }
        let reply = resolver.answer(for: question.host) { found in
            self.underWay.withLock { $0 -= 1 }
            answer(self.words(found, question))
        }
        guard case .known(let found) = reply else { return }
        underWay.withLock { $0 -= 1 }
        answer(words(found, question))
    }

    private func words(_ found: NameAnswer, _ question: DNSQuestion) -> [UInt8] {
        switch found {
        case .addresses(let addresses):
            return question.answer(addresses.map(\.ip))
        // The name exists but has no address: RFC 2308 section 2.2.
        case .failed(code: Int32(CCAPTURE_NO_ADDRESS)): return question.answer([])
        case .failed(code: EAI_NONAME): return question.answer(.noSuchName)
        case .failed: return question.answer(.serverFailure)
        }
    }

    /// The maximum number of questions in progress; further ones get a server failure, and clients retry.
    private static let most = 512
}
