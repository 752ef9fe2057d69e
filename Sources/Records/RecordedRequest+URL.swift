import ATSPolicy

extension RecordedRequest {
    /// The requested URL. For a load without a path (a tunnel, `OPTIONS *`), the origin and `/`.
    public var url: String { target.origin + pathOfURL }

    /// The part of ``url`` after the origin.
    var pathOfURL: String {
        path.utf8.first == UInt8(ascii: "/") ? path : "/"
    }
}
