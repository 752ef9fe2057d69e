import ATSPolicy
import Records

/// What a device alone would report of a load, and what the app behind the gate was made to see.
struct TwoNumbers: Hashable {
    /// As a device writes it: `-1200 [3:-9802]`; nil where a device would report nothing.
    let device: String?
    /// nil where the app saw what a device would report.
    let app: String?

    init(_ record: LoadRecord) {
        let apple = record.diagnosis?.apple
        device = apple.map { Self.text($0.code, $0.streamErrorDomain, $0.streamErrorCode) }
        app = record.shown.map { Self.text($0.style.rawValue, $0.code, $0.streamErrorCode, record.status) }
    }

    init(_ load: ReportedLoad) {
        device = load.apple?.codes
        app = load.shown.map { Self.text($0.style, $0.code, $0.streamErrorCode, load.status) }
    }

    /// Both in a few words: `-1200 [3:-9858], the app saw -1200 [3:-9802]`; nil for neither.
    var words: String? {
        let saw = app.map { "the app saw \($0)" }
        let parts = [device, saw].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func text(_ code: Int, _ domain: Int?, _ stream: Int?) -> String {
        guard let domain, let stream else { return String(code) }
        return "\(code) [\(domain):\(stream)]"
    }

    /// Source of the domains: docs/law/errors.md#stream-codes, docs/law/errors.md#proxies.
    private static func text(_ style: String, _ code: Int?, _ stream: Int?, _ status: Int?) -> String {
        guard let code else {
            if style == Shown.Style.page.rawValue, let status { return "HTTP status \(status)" }
            return style == Shown.Style.noTunnel.rawValue ? "a proxy that failed" : style
        }
        return text(code, code == refusedTunnel ? 4 : 3, stream)
    }

    /// kCFErrorHTTPSProxyConnectionFailure.
    private static let refusedTunnel = 310
}
