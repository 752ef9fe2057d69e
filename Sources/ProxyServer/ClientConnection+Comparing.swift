import NetLoop
import ProxyCore

extension ClientConnection {
    /// Checks for the session if a name resolves to its client's original address.
    func compare(_ name: String, on loop: isolated EventLoop) {
        guard let original else { return }
        worker.names.compare(name, with: original.address, for: stream.peerAddress, on: loop) { [weak self] match in
            self?.tell(.compared(name: name, match), on: loop)
        }
    }
}
