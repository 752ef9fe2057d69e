import ATSPolicy

/// Reads the output of `nscurl --ats-diagnostics`: a load for each of its tests.
///
/// Source of the form: exchangeratesapi#30 and kiwix/kiwix-apple#1430. The error of a test names a task of nscurl's
/// own, which the result does not contain.
struct NSCurlReader {
    private var url: PrintedURL?
    private var host: String?
    private var place = Section.between
    private var test: Test?
    /// Bytes of closed tests that were searched for the ends of errors.
    private(set) var searchedBytes = 0

    private enum Section {
        case between, title, name, body
    }

    private struct Test {
        let name: String
        let line: Int
        var passed: Bool?
        var isInDictionary = false
        var error = ""
        /// nil before the error.
        var scan: MessageScan?
        var lines = 0

        /// Appends a line to the error, up to its limit.
        mutating func addError(_ line: LogText) {
            let room = errorBytes - error.utf8.count
            guard room > 0 else { return }
            error += line.string(upTo: room) + "\n"
            let kept = line[0, room]
            if scan == nil { scan = MessageScan(kept) } else { scan?.read(kept) }
        }
    }

    /// Reads an output from its first line.
    init() {}

    /// Reads an output from the dictionary of a test.
    ///
    /// - Parameters:
    ///   - host: of the last title, if there was one.
    ///   - line: of the test's name.
    init(host: String?, name: String, line: Int) {
        self.host = host
        test = Test(name: name, line: line)
        place = .body
    }

    /// True if the line begins such an output: only nscurl prints these words.
    static func begins(_ line: LogText) -> Bool {
        line.has("Starting ATS Diagnostics") || line.has("Configuring ATS Info.plist")
    }

    static func result(_ line: LogText) -> Bool? {
        guard line.has("Result : ") || line.has("Result: ") else { return nil }
        return line.contains("PASS") ? true : line.contains("FAIL") ? false : nil
    }

    /// `Configuring TLS exceptions for HOST`, `… and insecure HTTP allowed for HOST`.
    static func host(inTitle line: LogText) -> String? {
        guard line.has("Configuring ") || line.has("Disabling ") || line.has("Default "),
            let place = line.after(" for ")
        else { return nil }
        return PrintedURL.known(line.from(place).trimmed.string)
    }

    /// Reads a line, and delivers a test that has ended.
    ///
    /// - Returns: false for a line that nscurl does not print here: the output has ended, and the line is not part of
    ///   it.
    mutating func take(_ text: LogText, number: Int, _ each: (EvidenceTask) -> Void) -> Bool {
        let line = text.trimmed
        if line.isEmpty { return true }
        if line.has("====") {
            close(each)
            place = .title
        } else if line.has("---"), line.count == 3 {
            close(each)
            place = .name
        } else if place == .body ? isOfTest(line) : isBetweenTests(line) {
            read(line, number)
        } else {
            close(each)
            return false
        }
        return true
    }

    /// Delivers the last test.
    mutating func finish(_ each: (EvidenceTask) -> Void) { close(each) }

    /// A test contains its dictionary, lines of its own process, the result, and an error of one or many lines.
    private mutating func isOfTest(_ line: LogText) -> Bool {
        guard let test, test.lines < testLines else { return false }
        self.test?.lines += 1
        if NSCurlReader.result(line) != nil || line.has("ATS Dictionary:") { return true }
        if let prefix = LinePrefix.read(line) {
            // Before the result, all such lines are nscurl's, whatever the process name; after it, only those with its
            // name.
            if test.isInDictionary, test.passed == nil { return true }
            return prefix.app.map { line[$0].has("nscurl") } ?? false
        }
        guard test.passed != nil else { return test.isInDictionary }
        if line.has("Error :") || line.has("Error:") { return true }
        return test.scan?.isOpen == true && !MessageShapes.begins(line)
    }

    /// Between tests are titles and explanations: no line with a prefix, and none about a load.
    private func isBetweenTests(_ line: LogText) -> Bool {
        LinePrefix.read(line) == nil && !line.has("{") && !line.has("[{") && MessageShape.fact(in: line) == nil
    }

    private mutating func read(_ line: LogText, _ number: Int) {
        if line.has("Starting ATS Diagnostics") { (url, host) = (nil, nil) }
        if let place = line.after("HTTPS loads to ") {
            let end = line.hasSuffix(".") ? line.count - 1 : line.count
            // A space after the URL marks it as complete.
            let text = Array(line[place, end].bytes) + [0x20]
            url = text.withUnsafeBytes { PrintedURL(LogText($0), at: 0) }
            host = url?.host ?? host
            return
        }
        switch place {
        case .title: host = NSCurlReader.host(inTitle: line) ?? host
        case .name:
            test = Test(name: line.string(upTo: nscurlNameBytes), line: number)
            place = .body
        case .body: body(line)
        case .between: break
        }
    }

    private mutating func body(_ line: LogText) {
        if let passed = NSCurlReader.result(line) {
            test?.passed = passed
            test?.isInDictionary = false
        } else if line.has("ATS Dictionary:") {
            test?.isInDictionary = true
        } else if test?.isInDictionary != true || LinePrefix.read(line) != nil {
            test?.addError(line)
        }
    }

    private mutating func close(_ each: (EvidenceTask) -> Void) {
        guard let test else { return }
        self.test = nil
        searchedBytes += test.scan?.bytes ?? 0
        guard let passed = test.passed else { return }
        var task = EvidenceTask(log: "", line: test.line)
        task.source = .nscurl
        task.app = "nscurl"
        task.task = test.name
        task.host = host
        task.url = url?.text
        // All of nscurl's own loads are https, whatever the dictionary allows; other programs print this form, too.
        task.scheme = url?.scheme ?? "https"
        task.outcome = passed ? .allowed : .failed
        if !passed { fill(&task, from: test.error) }
        each(task)
    }

    private func fill(_ task: inout EvidenceTask, from text: String) {
        guard !text.isEmpty else { return }
        task.lines = text.split(separator: "\n").prefix(16).map(String.init)
        let bytes = Array(text.utf8)
        bytes.withUnsafeBytes { bytes in
            let text = LogText(bytes)
            let error = LoadError(text: text)
            task.code = error?.code
            task.streamCode = error?.streamCode ?? text.number(after: "(kCFStreamErrorDomainSSL, ")
            task.streamDomain = error?.streamDomain
            task.proxied = error?.issuer.flatMap { DecryptingProxy.named(byIssuer: $0) == nil ? nil : $0 }
        }
    }
}

private let errorBytes = 16 << 10
/// Most lines of a test: a certificate chain has a line for each certificate.
private let testLines = 256
