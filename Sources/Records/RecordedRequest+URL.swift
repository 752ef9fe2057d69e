import ATSPolicy

extension RecordedRequest {
    /// The URL asked for. A load without a path of its own (a tunnel, `OPTIONS *`) is its origin and `/`.
    public var url: String { target.origin + pathOfURL }

    /// What follows the origin in ``url``.
    var pathOfURL: String {
        path.utf8.first == UInt8(ascii: "/") ? path : "/"
    }
}
