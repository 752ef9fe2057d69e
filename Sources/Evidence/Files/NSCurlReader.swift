/// Reads what `nscurl --ats-diagnostics` prints: a load for each of its tests.
///
/// Source of the form: exchangeratesapi#30 and kiwix/kiwix-apple#1430. An error of a test names a task of nscurl's own,
/// which is not told.
struct NSCurlReader {
    private(set) var isActive = false
    private var url: PrintedURL?
    private var host: String?
    private var place = Place.between
    private var test: Test?

    private enum Place {
        case between, title, name, body
    }

    private struct Test {
        let name: String
        let line: Int
        var passed: Bool?
        var dictionary = ""
        var isInDictionary = false
        var error = ""
    }

    /// Whether the line begins such an output, or a part of one.
    static func begins(_ line: LogText) -> Bool {
        let line = line.trimmed
        return line.has("Starting ATS Diagnostics") || line.has("ATS Dictionary:")
            || line.has("Configuring ATS Info.plist")
            || line.has("================================================") || result(line) != nil
    }

    private static func result(_ line: LogText) -> Bool? {
        guard line.has("Result : ") || line.has("Result: ") else { return nil }
        return line.contains("PASS") ? true : line.contains("FAIL") ? false : nil
    }

    /// Takes a line, and hands on a test that is over.
    mutating func take(_ text: LogText, number: Int, _ each: (EvidenceTask) -> Void) {
        let line = text.trimmed
        if !isActive {
            isActive = true
            // A fragment may begin behind a test's name.
            place = .name
        }
        if line.isEmpty { return }
        if line.has("====") {
            close(each)
            place = .title
        } else if line.has("---"), line.count == 3 {
            close(each)
            place = .name
        } else {
            read(line, number)
        }
    }

    /// Hands on the last test.
    mutating func finish(_ each: (EvidenceTask) -> Void) {
        close(each)
        isActive = false
    }

    private mutating func read(_ line: LogText, _ number: Int) {
        if let place = line.after("HTTPS loads to ") {
            let end = line.hasSuffix(".") ? line.count - 1 : line.count
            // A blank behind the URL says that it is whole.
            let text = Array(line[place, end].bytes) + [0x20]
            url = text.withUnsafeBytes { PrintedURL(LogText($0), at: 0) }
            host = url?.host ?? host
            return
        }
        switch place {
        case .title: title(line)
        case .name where !isPreamble(line):
            test = Test(name: line.string, line: number)
            place = .body
        case .body: body(line)
        case .between, .name: break
        }
    }

    /// `Configuring TLS exceptions for HOST`, `… and insecure HTTP allowed for HOST`.
    private mutating func title(_ line: LogText) {
        guard line.has("Configuring ") || line.has("Disabling ") || line.has("Default ") else { return }
        guard let place = line.after(" for ") else { return }
        host = PrintedURL.known(line.from(place).trimmed.string) ?? host
    }

    private func isPreamble(_ line: LogText) -> Bool {
        line.has("Starting ") || line.has("Configuring ") || line.has("A test will") || line.has("Use '--verbose'")
            || line.has("ATS Dictionary:") || line.has("Result") || LinePrefix.read(line) != nil
    }

    private mutating func body(_ line: LogText) {
        if let passed = NSCurlReader.result(line) {
            test?.passed = passed
            test?.isInDictionary = false
        } else if line.has("ATS Dictionary:") {
            test?.isInDictionary = true
        } else if test?.isInDictionary == true, LinePrefix.read(line) == nil {
            if let text = test?.dictionary, text.utf8.count < dictionaryBytes { test?.dictionary += line.string + "\n" }
        } else if let text = test?.error, text.utf8.count < errorBytes {
            test?.error += line.string + "\n"
        }
    }

    private mutating func close(_ each: (EvidenceTask) -> Void) {
        guard let test else { return }
        self.test = nil
        guard let passed = test.passed else { return }
        var task = EvidenceTask(log: "", line: test.line)
        task.source = .nscurl
        task.app = "nscurl"
        task.task = test.name
        task.host = host
        task.url = url?.text
        // All of nscurl's own loads are https, whatever the dictionary allows; other programs write this form, too.
        task.scheme = url?.scheme ?? "https"
        task.outcome = passed ? .allowed : .failed
        task.dictionary = test.dictionary.isEmpty ? nil : test.dictionary
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
            task.proxied = error?.issuer.flatMap { KnownProxies.isProxy($0) ? $0 : nil }
        }
    }
}

private let dictionaryBytes = 4096
private let errorBytes = 16 << 10
