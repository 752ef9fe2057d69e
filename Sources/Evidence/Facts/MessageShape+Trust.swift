import ATSPolicy

/// Lines about trust that name no connection, older lines without tasks, and errors as text.
extension MessageShape {
    static let trust: [MessageShape] = [
        MessageShape(
            name: "ATS failed system trust", needle: "ATS failed system trust",
            source: "transistorsoft/cordova-background-geolocation-lt#1435", confidence: .observed
        ) { _ in .loose(.trustNote(isRefusal: true)) },
        MessageShape(
            name: "System Trust Evaluation yielded status: strict trust (inferred)",
            needle: "System Trust Evaluation yielded status(", source: "sharkda/obsidianV0",
            confidence: .inferred
        ) { text in
            text.number(after: "yielded status(").map { .loose(.systemTrust(status: $0)) }
        },
        MessageShape(
            name: "Trust evaluate failure: [leaf …]", needle: "Trust evaluate failure:", source: "VelaTerm#77",
            confidence: .observed
        ) { _ in .loose(.trustNote(isRefusal: false)) },
        MessageShape(
            name: "SecTrustEvaluate  [leaf …]: the older form of it", needle: "SecTrustEvaluate  [",
            source: "xamarin/xamarin-macios, TrustTest.cs", confidence: .observed
        ) { _ in .loose(.trustNote(isRefusal: false)) },
    ]

    static let older: [MessageShape] = [
        MessageShape(
            name: "CFNetwork SSLHandshake failed", needle: "SSLHandshake failed (", source: "mfrister/pushproxy#28",
            confidence: .observed
        ) { text in
            text.number(after: "SSLHandshake failed (").map { .loose(.streamFailed(code: $0, isHandshake: true)) }
        }
    ]

    static let diagnostics: [MessageShape] = [
        MessageShape(
            name: "CFNetwork Diagnostics […]: blocks of CFNETWORK_DIAGNOSTICS", needle: "CFNetwork Diagnostics [",
            source: "idcuesta/SSLErrorSample", confidence: .observed, read: block)
    ]

    static let errors: [MessageShape] = [
        MessageShape(
            name: "Error Domain=NSURLErrorDomain: an error as text", needle: "Error Domain=",
            source: "maitrungduc1410/WebRTC-Demo#47", confidence: .observed
        ) { text in
            guard let error = LoadError(text: text) else { return nil }
            return error.task.map { .task($0, .failed(error)) } ?? .loose(.error(error))
        },
        MessageShape(
            name: "the end of an error whose beginning is missing", needle: "TaskErrorKey=", source: "tdlib/td#2740",
            confidence: .observed
        ) { text in
            guard let error = LoadError(text: text), let task = error.task else { return nil }
            let isError = error.hasDescription || error.streamCode != nil
            return .task(task, isError ? .failed(error) : .mentioned)
        },
        MessageShape(
            name: "a line of an error that a person shortened", needle: "NSErrorFailingURL", source: "tdlib/td#2740",
            confidence: .observed
        ) { text in
            guard text.has("NSErrorFailingURL"), let error = LoadError(text: text), error.url != nil else { return nil }
            return .loose(.error(error))
        },
        MessageShape(
            name: "any other line that names a task", needle: "<", source: "flutter/flutter#48991",
            confidence: .observed
        ) { text in TaskLine(text).map { .task($0.id, .mentioned) } },
    ]

    /// The URL of a block and its event. The rest of the block is not needed.
    private static func block(_ text: LogText) -> Fact? {
        let events: [StaticString] = ["Did Fail:", "Response Error:", "Did Finish:", "Protocol Received:"]
        guard let word = events.first(where: { text.contains($0) }), let start = text.find(word) else { return nil }
        guard let url = PrintedURL.first(in: text, from: start) else { return nil }
        switch word.description {
        case "Did Finish:": return .loose(.diagnostics(Diagnostics(event: .finished, url: url)))
        case "Protocol Received:": return .loose(.diagnostics(Diagnostics(event: .answered, url: url)))
        default:
            let error = LoadError(text: text.from(start)) ?? LoadError()
            return .loose(.diagnostics(Diagnostics(event: .failed(error), url: url)))
        }
    }
}
