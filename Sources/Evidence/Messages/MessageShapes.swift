/// Tests for the beginnings of messages.
enum MessageShapes {
    /// True if the line begins a message, so it does not continue the one before.
    static func begins(_ line: LogText) -> Bool {
        let line = line.trimmed
        if startsLikeMessage(line) { return true }
        // An error after a brace is the cause of another error.
        guard let error = line.find("Error Domain=") else { return false }
        return line[error - 1] != UInt8(ascii: "{")
    }

    /// True if the line itself starts as a message does, without anything before it.
    static func startsLikeMessage(_ line: LogText) -> Bool {
        starts.contains { line.has($0) } || (line.has("[C") && line[2].isDigit) || line.has("Error Domain=")
    }

    private static let starts: [StaticString] = [
        "Task <", "PDTask <", "Connection ", "App Transport Security has", "Cannot start load", "ATS failed",
        "CFNetwork ",
        "NSURLSession/NSURLConnection", "NSURLConnection finished", "TIC ", "nw_", "boringssl_",
        "System Trust Evaluation", "Trust evaluate failure", "(Trust 0x", "HTTP load failed", "finished with error",
        "NSErrorFailingURL", "Starting ATS Diagnostics",
    ]
}
