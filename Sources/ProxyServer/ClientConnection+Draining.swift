import NetLoop
import ProxyCore

extension ClientConnection {
    /// The gate drains. What the client has said already is heard before it is sent away: nobody else would answer.
    func drain(on loop: isolated EventLoop) {
        let isUnread = kept != nil || (!stream.isReadingPaused && stream.hasUnreadBytes)
        tell(isUnread && session.isBetweenLoads ? .drainingUnread : .draining, on: loop)
    }
}
