import NetLoop
import ProxyCore

extension ClientConnection {
    /// Drains the client. Bytes that it has already sent are read first, because no other connection would answer them.
    func drain(on loop: isolated EventLoop) {
        let isUnread = kept != nil || (!stream.isReadingPaused && stream.hasUnreadBytes)
        deliver(isUnread && session.isBetweenLoads ? .drainingUnread : .draining, on: loop)
    }
}
