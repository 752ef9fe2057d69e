import ATSPolicy
import HTTPWire
import Records

/// What an event has led to for the load of an HTTP/1 client.
enum HTTP1Outcome {
    case going
    /// The load is over, both ways.
    case done
    /// The origin answered before it had the whole request: the rest has nowhere to go.
    case answeredEarly
    /// What follows on this link is another protocol's.
    case upgraded(OriginLink)
    /// The link broke before the answer was whole.
    case lost(OriginLink, reset: Bool)
    /// A device would not have loaded from there.
    case refused(RecordedDiagnosis, RecordedOrigin?)
    case failed(ErrorAnswer, RecordedOrigin? = nil)
    case malformedRequest(WireError)
    case clientLeft
}
