/// An error of a load, with the members that a line contains.
struct LoadError {
    /// Of NSURLErrorDomain, unless ``domain`` names another; kCFErrorDomainCFNetwork uses the same negative numbers.
    var code: Int?
    /// The domain of ``code`` if it is not NSURLErrorDomain.
    var domain: String?
    /// 3 is TLS: kCFStreamErrorDomainSSL.
    var streamDomain: Int?
    var streamCode: Int?
    var url: PrintedURL?
    /// True if the error names two hosts: another thread wrote into it, or a person changed it.
    var hasTwoHosts = false
    var task: TaskID?
    /// True if its text states that ATS blocked the load.
    var statesPolicy = false
    /// True if it has a localized description.
    var hasDescription = false
    /// Issuer of the server's leaf.
    var issuer: String?
    /// An address in memory, which identifies prints of the same error.
    var identity: String?
    var isRedacted = false
    /// True if its beginning is missing, because the person who copied the log cut it.
    var isFragment = false
}

extension LoadError {
    /// Reads `Error Domain=… Code=… "…" UserInfo={…}`, whole or cut. Source of the keys: NSURLError.h, CFStream.h and the
    /// public logs of ``MessageShape``.
    ///
    /// - Returns: nil if it is not about a load.
    init?(text: LogText) {
        let start = text.find("Error Domain=")
        if let start {
            guard let (code, domain) = Self.code(text, from: start) else { return nil }
            (self.code, self.domain) = (code, domain)
            // Text after a brace is the inner error: the beginning of the outer one is missing.
            isFragment = text[start - 1] == UInt8(ascii: "{")
        } else {
            isFragment = true
        }
        readStream(text)
        readURLs(text)
        task =
            text.after("TaskErrorKey=").flatMap { TaskID(text, from: $0) }
            ?? text.after("LocalDataTask ").flatMap {
                TaskID(text, from: $0)
            }
        hasDescription = text.contains("NSLocalizedDescription=")
        statesPolicy = text.contains("App Transport Security policy requires")
        issuer = Self.issuer(text)
        identity = text.after("NSUnderlyingError=").map { place in
            text[place, text.end(from: place, limit: 24) { !$0.isBlank && $0 != UInt8(ascii: "{") }].string
        }
    }

    /// The code of an error of the loading system, and its domain if that is not NSURLErrorDomain; nil for those of other
    /// domains, which apps also use. Positive codes of kCFErrorDomainCFNetwork are its own: CFNetworkErrors.h.
    private static func code(_ text: LogText, from start: Int) -> (code: Int, domain: String?)? {
        if let place = text.after("NSURLErrorDomain Code=", from: start), let code = text.number(at: place), code < 0 {
            return (code, nil)
        }
        guard let place = text.after("kCFErrorDomainCFNetwork Code=", from: start), let code = text.number(at: place)
        else { return nil }
        return (code, code < 0 ? nil : cfNetworkDomain)
    }

    private mutating func readStream(_ text: LogText) {
        streamDomain = text.number(after: "_kCFStreamErrorDomainKey=")
        streamCode =
            text.number(after: "_kCFStreamErrorCodeKey=")
            ?? text.number(after: "_kCFNetworkCFStreamSSLErrorOriginalValue=")
    }

    private mutating func readURLs(_ text: LogText) {
        let keys: [StaticString] = ["NSErrorFailingURLStringKey=", "NSErrorFailingURLKey="]
        var urls: [PrintedURL] = []
        for key in keys {
            var place = 0
            while let value = text.after(key, from: place), urls.count < 8 {
                if let url = PrintedURL(text, at: value) { urls.append(url) }
                if text.has("<private>", at: value) { isRedacted = true }
                place = value
            }
        }
        url = urls.first { !$0.isCut } ?? urls.first
        let hosts = Set(urls.compactMap { $0.isCut ? nil : $0.host?.lowercased() })
        hasTwoHosts = hosts.count > 1
        if url?.isRedacted == true { isRedacted = true }
    }

    /// The `i:` of the first certificate: `"<cert(0x13c822a00) s: SUBJECT i: ISSUER>"`.
    private static func issuer(_ text: LogText) -> String? {
        guard let start = text.after("<cert(0x"), let issuer = text.after(" i: ", from: start),
            let end = text.find(">", from: start), issuer < end
        else { return nil }
        return text[issuer, min(end, issuer + 256)].string
    }
}

extension TaskID {
    /// The first `<UUID>.<number>` at or after `start`.
    init?(_ text: LogText, from start: Int = 0) {
        guard let open = text.find(UInt8(ascii: "<"), from: start, upTo: start + 24) else { return nil }
        self.init(text, at: open)
    }

    /// `<UUID>.<number>` at `open`.
    init?(_ text: LogText, at open: Int) {
        guard text[open] == UInt8(ascii: "<") else { return nil }
        let close = text.end(from: open + 1, limit: 40) { Self.isPartOfUUID($0) }
        guard close - open > 1, text.has(">.<", at: close) else { return nil }
        let end = text.end(from: close + 3, limit: 12) { $0.isDigit }
        guard end > close + 3, text[end] == UInt8(ascii: ">") else { return nil }
        name = text[open, end + 1].string
    }

    /// True for hexadecimal digits and hyphens, and for what people write instead of a part: `...`, `…`, `xxxx`, `****`.
    private static func isPartOfUUID(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "*"), UInt8(ascii: "x"), UInt8(ascii: "X"): true
        // The bytes of an ellipsis in UTF-8.
        case 0xE2, 0x80, 0xA6: true
        default: byte.isHexadecimal
        }
    }
}

let cfNetworkDomain = "kCFErrorDomainCFNetwork"
