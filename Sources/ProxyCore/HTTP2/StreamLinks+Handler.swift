import HTTP2Engine

extension StreamLinks: HTTP2Handler {
    func opened(_ request: HTTP2Request, _ stream: HTTP2Stream) {}

    func peerChangedSettings(_ machine: HTTP2Machine) {
        mirrorSettings(of: machine)
        serveWaiting()
    }

    func peerIsLeaving(_ machine: HTTP2Machine, code: UInt32) {}
}
