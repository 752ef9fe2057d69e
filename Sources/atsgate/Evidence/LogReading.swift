import Evidence
import Files
import Foundation
import Text

/// Reads logs one after the other; one that cannot be read does not stop the rest.
struct LogReading {
    private(set) var counts = EvidenceCounts()
    private(set) var logs = 0
    private var unreadable = 0
    /// Resolved paths of the logs that were read.
    private var known: Set<String> = []

    /// Reads a file, every log in a folder, or standard input for `-`.
    mutating func read(_ path: String, _ each: (EvidenceTask) -> Void, after: () throws -> Void) throws {
        if path == "-" { return try read(STDIN_FILENO, named: path, each, after: after) }
        guard LogFolder.isFolder(path) else { return try readFile(path, each, after: after) }
        if let complaint = LogFolder.complaint(about: path) { return refuse(path, complaint) }
        guard let files = LogFolder.files(in: path) else {
            return refuse(path, "it contains more than \(LogFolder.fileLimit) logs; name folders below it instead")
        }
        if files.isEmpty { refuse(path, "there is no log in the folder or below it") }
        for file in files { try readFile(file, each, after: after) }
    }

    /// Reads a file, but only once if it is named twice.
    private mutating func readFile(_ path: String, _ each: (EvidenceTask) -> Void, after: () throws -> Void) throws {
        guard known.insert(URL(fileURLWithPath: path).resolvingSymlinksInPath().path).inserted else {
            return StandardError.writeLine("atsgate: \(path.printable) is named twice, but read once")
        }
        let descriptor: Int32
        do throws(FileFault) {
            descriptor = try InputFile.open(path)
        } catch {
            return refuse(path, "\(error)")
        }
        defer { close(descriptor) }
        try read(descriptor, named: path, each, after: after)
    }

    private mutating func read(
        _ descriptor: Int32, named name: String, _ each: (EvidenceTask) -> Void, after: () throws -> Void
    ) throws {
        var reader = EvidenceReader(log: name)
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        while true {
            let got = piece.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
            if got < 0, errno == EINTR { continue }
            if got < 0 { refuse(name, FileFault.system(errno: errno).description) }
            guard got > 0 else { break }
            piece.withUnsafeBytes { reader.read(UnsafeRawBufferPointer(rebasing: $0[..<got]), each) }
            try after()
        }
        reader.finish(each)
        try after()
        logs += 1
        counts.add(reader.counts)
    }

    private mutating func refuse(_ path: String, _ why: String) {
        unreadable += 1
        StandardError.printError("\(path) cannot be read: \(why)")
    }

    /// Prints what was read, and throws the exit code.
    func end() throws {
        StandardError.writeLine("atsgate: " + counts.words(logs: logs))
        counts.remarks.forEach { StandardError.writeLine("         " + $0) }
        if unreadable > 0 {
            throw CommandFailure.badInput(
                unreadable == 1 ? "a log could not be read" : "\(unreadable) logs could not be read")
        }
        if counts.loads == 0 { throw CommandFailure.nothing("no load was found; see atsgate explain evidence") }
    }
}

/// Finds the logs in a folder.
enum LogFolder {
    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// The advice for folders that tools show as files, and that must be exported first.
    static func complaint(about path: String) -> String? {
        let name = path.hasSuffix("/") ? String(path.dropLast()) : path
        if name.hasSuffix(".xcresult") {
            let export = "xcrun xcresulttool export diagnostics --path FILE.xcresult --output-path FOLDER"
            return "it is a result bundle; read the folder that this command creates: \(export)"
        }
        if name.hasSuffix(".logarchive") {
            return
                "it is an archive of the unified log; read the output of: log show --style ndjson FILE.logarchive"
        }
        return nil
    }

    /// Regular files with a file extension of logs, sorted by path; nil if there are more than ``fileLimit``. Links are
    /// not followed.
    static func files(in folder: String) -> [String]? {
        guard
            let walk = FileManager.default.enumerator(
                at: URL(fileURLWithPath: folder), includingPropertiesForKeys: [.isRegularFileKey],
                options: [.skipsHiddenFiles])
        else { return [] }
        var files: [String] = []
        for case let file as URL in walk where extensions.contains(file.pathExtension.asciiLowered) {
            guard (try? file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true else { continue }
            guard files.count < fileLimit else { return nil }
            files.append(file.path)
        }
        return files.sorted()
    }

    /// Extensions of files from exported result bundles, Console.app, build servers and proxies; some have none.
    private static let extensions: Set<String> = ["txt", "log", "json", "ndjson", "jsonl", "har", "out", ""]
    static let fileLimit = 10_000
}

private let pieceBytes = 256 << 10

extension EvidenceCounts {
    /// For example `3 loads in 120 lines of 2 logs: 2 blocked, 1 allowed`.
    func words(logs: Int) -> String {
        let parts = EvidenceTask.Outcome.allCases.compactMap { outcome in
            outcomes[outcome].map { "\($0) \(outcome.rawValue)" }
        }
        let ends = parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
        let read = "\(lines) \(lines == 1 ? "line" : "lines")"
        return "\(loads.loads) in \(read) of \(logs == 1 ? "a log" : "\(logs) logs")\(ends)"
    }

    /// Sentences about input that was skipped or belongs to no load.
    var remarks: [String] {
        let all: [(Int, unit: String, String)] = [
            (unjoinedLines, "line", "that match no load, or more than one"),
            (unfinishedMessages, "message", "without an end"),
            (cutLines, "line", "longer than 256 KiB; only the beginning was read"),
            (binaryLines, "line", "with zero bytes, skipped"),
            (escapedLines, "line", "with terminal sequences, which were removed"),
            (brokenObjects, "JSON object", "incomplete or invalid"),
            (earlyLoads, "load", "closed before the end, because too many were open or 200,000 lines passed"),
            (lateLines, "line", "of loads that were already closed"),
        ]
        let lines = all.filter { $0.0 > 0 }.map { count, unit, what in
            "\(count) \(unit)\(count == 1 ? "" : "s") \(what)"
        }
        let causes = OtherCause.allCases.filter { otherCauses[$0] != nil }.map { "not ATS: \($0.words)" }
        return causes + lines + (isUTF16 ? ["the log was read as UTF-16"] : [])
    }

    mutating func add(_ other: EvidenceCounts) { self = merged(with: other) }
}

/// Dates in logs.
enum LogTime {
    /// `2026-10-07 15:30:54.722193+0200` in milliseconds since 1970-01-01 UTC; a date without a zone counts as UTC.
    ///
    /// - Returns: nil for a date without a year, and for an invalid one.
    static func milliseconds(_ text: String) -> Int64? {
        let form = /(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?:([+-])(\d\d):?(\d\d)|Z)?/
        guard let fields = text.prefixMatch(of: form.asciiOnlyDigits())?.output else { return nil }
        var date = DateComponents()
        date.calendar = Calendar(identifier: .gregorian)
        date.timeZone = .gmt
        (date.year, date.month, date.day) = (Int(fields.1), Int(fields.2), Int(fields.3))
        (date.hour, date.minute, date.second) = (Int(fields.4), Int(fields.5), Int(fields.6))
        guard date.isValidDate, let moment = date.date else { return nil }
        var seconds = Int64(moment.timeIntervalSince1970)
        if let sign = fields.8, let hours = fields.9.flatMap({ Int64($0) }),
            let minutes = fields.10.flatMap({ Int64($0) })
        {
            seconds -= (hours * 3600 + minutes * 60) * (sign == "-" ? -1 : 1)
        }
        let fraction = fields.7.flatMap { Int64(($0 + "00").prefix(3)) } ?? 0
        return seconds * 1000 + fraction
    }
}
