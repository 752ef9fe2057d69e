import CPoll

/// A socket that connects to one address.
final class DialAttempt {
    enum Start {
        case connected, underWay
        case failed(errno: Int32)
    }

    let address: SocketAddress
    private unowned let dial: Dial
    private var descriptor: Int32 = -1
    private var token = PollToken.none

    init(to address: SocketAddress, for dial: Dial) {
        self.address = address
        self.dial = dial
    }

    deinit {
        if descriptor >= 0 { closeDescriptor(descriptor) }
    }

    func start(on loop: isolated EventLoop) -> Start {
        var system = address.address.cpoll(port: address.port)
        let answer = cpoll_connect(&system, &descriptor)
        if answer < 0 { return .failed(errno: -answer) }
        if answer == 1 { return .connected }
        guard let place = try? loop.adopt(self) else { return .failed(errno: ECANCELED) }
        token = place
        let code = loop.watch(descriptor, as: place, for: .write)
        guard code == 0 else {
            close(on: loop)
            return .failed(errno: -code)
        }
        return .underWay
    }

    func close(on loop: isolated EventLoop) {
        loop.release(token)
        token = .none
        if descriptor >= 0 { closeDescriptor(descriptor) }
        descriptor = -1
    }

    /// Returns the socket and its interest in the poll set. Reports for it are ignored until the next owner sets an
    /// interest.
    func handOver(on loop: isolated EventLoop) -> (descriptor: Int32, interest: Readiness) {
        let interest: Readiness = token == .none ? [] : .write
        loop.release(token)
        token = .none
        defer { descriptor = -1 }
        return (descriptor, interest)
    }
}

extension DialAttempt: PollTarget {
    func ready(_ readiness: Readiness, on loop: isolated EventLoop) {
        let code = cpoll_error(descriptor)
        if code != 0 {
            dial.failed(self, errno: code, on: loop)
        } else if readiness.contains(.write) {
            dial.connected(self, on: loop)
        }
    }

    func loopStopped(on loop: isolated EventLoop) {
        close(on: loop)
    }
}
