public import FlyingFox
public import Foundation

/// What a server serves.
public protocol WebSite: Sendable {
    /// Why a request is refused, told by its head alone, before its body is read; nil for one that is welcome.
    func refusal(of head: HTTPRequest) -> HTTPResponse?

    /// The answer to a request that was not refused.
    func answer(_ request: HTTPRequest, body: Data) async -> HTTPResponse
}
