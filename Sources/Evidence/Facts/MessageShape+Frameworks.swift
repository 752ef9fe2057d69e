import ATSPolicy

/// Errors as web views, React Native, Flutter and .NET print them. These lines name no task.
extension MessageShape {
    static let frameworks: [MessageShape] = [
        MessageShape(
            name: "WebPageProxy::didFailProvisionalLoad…: domain=NSURLErrorDomain, code=N: a web view",
            needle: "::didFail", source: "ionic-team/capacitor#5254", confidence: .observed, read: webKit),
        MessageShape(
            name: "PlatformException(N, …): Flutter", needle: "PlatformException(", source: "ryanheise/just_audio#703",
            confidence: .observed
        ) { text in
            text.after("PlatformException(").flatMap { text.number(at: $0) }.flatMap(error)
        },
        MessageShape(
            name: "Unhandled Exception: (N) …: Flutter", needle: "Exception: (-", source: "ryanheise/just_audio#703",
            confidence: .observed
        ) { text in
            text.after("Exception: (").flatMap { text.number(at: $0) }.flatMap(error)
        },
        MessageShape(
            name: "{\"code\": N, …, \"domain\": \"NSURLErrorDomain\"}: React Native and other web views",
            needle: "\"NSURLErrorDomain\"",
            source: "react-native-webview, the message \"Encountered an error loading page\"",
            confidence: .observed, read: member),
        MessageShape(
            name: "NSURLErrorDomain error N: the usual text of an error without a description",
            needle: "NSURLErrorDomain", source: "Apple, NSError.localizedDescription", confidence: .documented
        ) { text in
            text.after("NSURLErrorDomain").flatMap { text.spacedNumber(from: $0, within: 16) }.flatMap(error)
        },
    ]

    /// `WebPageProxy::didFailProvisionalLoadForFrame: frameID=3, domain=NSURLErrorDomain, code=-1202` and
    /// `SubresourceLoader::didFail: (type=0, code=-1200)`. Source: WebKit, WebPageProxy.cpp and SubresourceLoader.cpp.
    private static func webKit(_ text: LogText) -> Fact? {
        guard let start = text.after("::didFail"), let place = text.after("code=", from: start) else { return nil }
        if text.find("domain=", from: start) != nil, text.find("domain=NSURLErrorDomain", from: start) == nil {
            return nil
        }
        return text.number(at: place).flatMap(error)
    }

    /// An object with a separate member for the code. Its URL is the failing one.
    private static func member(_ text: LogText) -> Fact? {
        guard let place = text.after("\"code\""), let code = text.spacedNumber(from: place, within: 4),
            case .loose(.error(var error))? = error(code)
        else { return nil }
        error.url = text.after("\"url\"").flatMap { start in
            PrintedURL(text, at: text.end(from: start, limit: 4) { $0.isBlank || ":\"".utf8.contains($0) })
        }
        return .loose(.error(error))
    }

    /// A failed load with that code of NSURLErrorDomain, or of AVFoundationErrorDomain for -11800 and its neighbours; nil
    /// for other numbers. Source: NSURLError.h; AVError.h.
    private static func error(_ code: Int) -> Fact? {
        var error = LoadError()
        error.code = code
        switch code {
        case -3999 ... -900: return .loose(.error(error))
        case -11_999 ... -11_800:
            error.domain = "AVFoundationErrorDomain"
            return .loose(.error(error))
        default: return nil
        }
    }
}

extension LogText {
    /// The first negative number at or after `start`, after at most `limit` bytes that belong to words, blanks and
    /// punctuation. `- 1202` counts as -1202.
    func spacedNumber(from start: Int, within limit: Int) -> Int? {
        let stop = end(from: start, limit: limit) { !$0.isDigit && $0 != UInt8(ascii: "\n") }
        guard self[stop].isDigit, let number = number(at: stop) else { return nil }
        var place = stop - 1
        while place >= start, self[place].isBlank { place -= 1 }
        return place >= start && self[place] == UInt8(ascii: "-") ? -number : nil
    }
}
