import ATSPolicy
import Records

/// The error that a device alone would report for a load, and the one that the app saw through the gate.
enum ErrorCodes {
    /// For example `-1200 [3:-9858], the app saw -1200 [3:-9802]`; nil for neither.
    ///
    /// - Parameter device: as a device writes it; nil if it would report none.
    static func words(device: String?, shown: ShownError?, status: Int?) -> String? {
        let saw = shown.map { "the app saw \(text($0, status))" }
        let parts = [device, saw].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func text(_ shown: ShownError, _ status: Int?) -> String {
        if let codes = shown.codes { return codes }
        if shown.style == .page, let status { return "HTTP status \(status)" }
        return shown.style == .noTunnel ? "a proxy error" : shown.style.rawValue
    }
}

extension LoadRecord {
    var numbers: String? { ErrorCodes.words(device: self.apple?.codes, shown: self.shown, status: self.status) }
}
