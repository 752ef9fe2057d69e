import NetLoop
import ProxyCore

extension ClientConnection {
    /// Tells the session whether a name leads to the address that its client wanted.
    func compare(_ name: String, on loop: isolated EventLoop) {
        guard let original else { return }
        worker.names.compare(name, with: original.address, on: loop) { [weak self] match in
            self?.tell(.compared(name: name, match), on: loop)
        }
    }
}
