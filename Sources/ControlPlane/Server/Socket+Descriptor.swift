import FlyingSocks
import Foundation

extension Socket {
    /// The port that it is bound to; nil for a socket without one.
    var port: Int? {
        switch try? sockname() {
        case .ip4(_, let port), .ip6(_, let port): Int(port)
        case .unix, nil: nil
        }
    }

    /// Keeps it from the commands that `run` starts. FlyingSocks 0.27.1 leaves its descriptors open to them.
    func closeOnExec() { _ = fcntl(file.rawValue, F_SETFD, FD_CLOEXEC) }
}
