import ATSPolicy
import HTTP2Engine
import HTTPWire
import OriginHandshake
import Records
import TLSEngine

/// Errors of origins after their handshake, with the error that a device would report.
extension SessionContext {
    /// Describes an origin whose connection ended before its response was complete.
    func lost(_ load: Load, on link: OriginLink?, reset: Bool) -> ErrorAnswer {
        let alert = link?.tls?.alertReceived
        let finding: Finding =
            alert.map { .originAlert($0, after: load.bytesReceived) }
            ?? .originCut(after: load.bytesReceived, reset: reset)
        let lost = LostConnection(
            alert.map { .alert($0) } ?? (reset ? .reset : .closed),
            clientCertificate: link?.met.facts?.clientCertificate, answerBegan: load.status != nil)
        return ErrorAnswer(502, "The server closed the connection", diagnosis(finding, .lost(lost), of: load, on: link))
    }

    /// Describes an origin that reset only the load's stream.
    func reset(_ load: Load, code: UInt32, on link: OriginLink) -> RecordedDiagnosis {
        diagnosis(
            .streamReset(code: code), .lost(LostConnection(.reset, answerBegan: load.status != nil)), of: load, on: link
        )
    }

    /// Describes an origin whose response is not valid HTTP.
    func malformed(_ finding: Finding, _ load: Load, on link: OriginLink?) -> ErrorAnswer {
        ErrorAnswer(502, finding.title, diagnosis(finding, .malformedAnswer, of: load, on: link))
    }

    /// Describes an origin that closed its connection before the tunnel carried any data.
    func lost(_ tunnel: Tunnel, reset: Bool) -> RecordedDiagnosis {
        let finding = Finding.originCut(after: client.relayed.received, reset: reset)
        let lost = LostConnection(reset ? .reset : .closed, answerBegan: false)
        return diagnosis(
            HandshakeVerdict(findings: [finding], failure: .lost(lost), remedy: nil), of: tunnel.ruled, path: "/")
    }

    private func diagnosis(
        _ finding: Finding, _ failure: LoadFailure, of load: Load, on link: OriginLink?
    ) -> RecordedDiagnosis {
        diagnosis(
            HandshakeVerdict(findings: [finding], failure: failure, remedy: nil), of: load.ruled,
            path: load.pathText, facts: link?.met.facts)
    }
}
