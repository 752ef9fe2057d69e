import ATSPolicy
import HTTPWire
import Records

/// The outcome of an event for the load of an HTTP/1 client.
enum HTTP1Outcome {
    case going
    /// Request and response are complete.
    case done
    /// The origin answered before it had the whole request; the rest is discarded.
    case answeredEarly
    /// The link now carries another protocol.
    case upgraded(OriginLink)
    /// The link broke before the response was complete.
    case lost(OriginLink, reset: Bool)
    /// A device would not have loaded from there.
    case refused(RecordedDiagnosis, RecordedOrigin?)
    case failed(ErrorAnswer, RecordedOrigin? = nil)
    case malformedRequest(WireError)
    case clientLeft
}
