import ATSPolicy
import Declarations

/// Reads the files of an app, and collects the hosts that they name.
struct HostReader {
    private(set) var hosts = HostCollection()
    /// Remarks on files that were not read completely, as sentences.
    private(set) var remarks: [String] = []
    private(set) var archives: [String] = []
    /// Malformed binaries, which were also read as plain bytes.
    private(set) var malformed: [String] = []

    /// Reads one file.
    ///
    /// - Parameters:
    ///   - path: from the outermost bundle on.
    ///   - executable: path of the bundle to which the file belongs.
    /// - Returns: the parts of a binary; nil for another file.
    mutating func read(
        _ content: some ByteSource, as type: FileType, path: String, in executable: String
    ) -> MachOFile? {
        var place = Reading(path: path, executable: executable, isDocument: FileType.isDocument(path))
        if type == .text { place.readsSentences = FileType.isCode(path) }
        switch type {
        case .machO: return readMachO(content, place)
        case .hermes: readHermes(content, place)
        case .unity: readUnity(content, place)
        case .propertyList: readPropertyList(content, place)
        case .text: readText(content, place)
        case .wideText(let isBigEndian): readWideText(content, isBigEndian, place)
        case .data: Self.windows(of: content, 0..<content.count) { add($0, .adjacent, before: $1, nil, place) }
        case .archive: archives.append(path)
        case .certificate, .skipped: break
        }
        return nil
    }

    /// Adds the hosts of a property list's strings, and of the keys of NSExceptionDomains and NSPinnedDomains.
    mutating func read(_ root: PropertyNode, path: String, in executable: String) {
        let place = Reading(path: path, executable: executable, isDocument: FileType.isDocument(path))
        walk(root, keyPath: "", place)
    }

    /// The file that is read.
    private struct Reading {
        let path: String
        let executable: String
        let isDocument: Bool
        var readsSentences = true
    }

    private mutating func readMachO(_ content: some ByteSource, _ place: Reading) -> MachOFile? {
        guard let file = MachOFile(content) else { return nil }
        let faults = file.faults + file.slices.flatMap(\.faults)
        let isDart = place.path.hasSuffix("App.framework/App") || place.path.hasSuffix("App.framework/Versions/A/App")
        for slice in file.slices {
            if slice.isEncrypted {
                remarks.append(
                    "\(place.path) (\(slice.architecture)) is encrypted by the App Store: its strings cannot be read; "
                        + "audit the .xcarchive or the .ipa that was uploaded")
            }
            for section in slice.sections where !section.isEncrypted {
                read(section, of: content, isDart ? .dart : .adjacent, place)
            }
        }
        if let first = faults.first {
            malformed.append(place.path)
            remarks.append("\(place.path) was read as plain bytes, because the file is malformed: \(first)")
            readRest(of: content, outside: file.slices.flatMap(\.sections).map(\.range), place)
        }
        return file
    }

    /// Searches the bytes that no section has, each once.
    private mutating func readRest(of content: some ByteSource, outside ranges: [Range<Int>], _ place: Reading) {
        var start = 0
        let end = content.count..<content.count
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) + [end] {
            if start < range.lowerBound {
                let rest = MachOSlice.Section(
                    name: "plain bytes", kind: .data, range: start..<range.lowerBound, isEncrypted: false)
                read(rest, of: content, .adjacent, place)
            }
            start = max(start, range.upperBound)
        }
    }

    private mutating func read(
        _ section: MachOSlice.Section, of content: some ByteSource, _ order: URLScanner.Order, _ place: Reading
    ) {
        switch section.kind {
        case .strings:
            var start = section.range.lowerBound
            while start < section.range.upperBound {
                var bytes = content.bytes(at: start, count: min(Self.windowBytes, section.range.upperBound - start))
                guard !bytes.isEmpty else { return }
                // A string is not cut, unless it is longer than a window.
                if start + bytes.count < section.range.upperBound, let end = bytes.lastIndex(of: 0) {
                    bytes.removeSubrange((end + 1)...)
                }
                start += bytes.count
                add(bytes, .separated, before: nil, section.name, place)
                BareHost.forEach(terminatedIn: bytes) { add($0, section.name, place) }
            }
        case .wideStrings:
            Self.windows(of: content, section.range) { bytes, _ in
                let text = WideText.narrowed(bytes)
                add(text, .separated, before: nil, section.name, place)
                BareHost.forEach(terminatedIn: text) { add($0, section.name, place) }
            }
        case .data:
            Self.windows(of: content, section.range) { bytes, limit in
                add(bytes, order, before: limit, section.name, place)
                // Kotlin and Dart have strings of 16-bit units between others.
                guard URLScanner.find(Self.wideMark, in: bytes, from: 0) != nil else { return }
                for start in 0...1 {
                    add(WideText.narrowed(Array(bytes.dropFirst(start))), .separated, before: nil, section.name, place)
                }
            }
        }
    }

    private mutating func readHermes(_ content: some ByteSource, _ place: Reading) {
        guard let bytecode = HermesBytecode(content) else {
            remarks.append(
                "\(place.path) is Hermes bytecode of an unknown layout: its strings were searched as a whole")
            return Self.windows(of: content, 0..<content.count) { add($0, .adjacent, before: $1, nil, place) }
        }
        bytecode.forEachString { string in
            add(string, .separated, before: nil, Self.hermesPart, place)
            if let host = BareHost.found(in: string[...]) { add(host, Self.hermesPart, place) }
        }
    }

    private mutating func readUnity(_ content: some ByteSource, _ place: Reading) {
        do throws(UnityMetadata.Fault) {
            try UnityMetadata(content).forEachLiteral { literal in
                add(literal, .separated, before: nil, Self.unityPart, place)
                if let host = BareHost.found(in: literal[...]) { add(host, Self.unityPart, place) }
            }
        } catch {
            remarks.append("\(place.path) \(error.words): its strings were searched as a whole")
            Self.windows(of: content, 0..<content.count) { add($0, .adjacent, before: $1, nil, place) }
        }
    }

    private mutating func readPropertyList(_ content: some ByteSource, _ place: Reading) {
        let bytes = content.bytes(at: 0, count: DeclarationLimits.fileBytes + 1)
        guard let file = try? PropertyFile(bytes, source: place.path) else { return readText(content, place) }
        walk(file.root, keyPath: "", place)
    }

    private mutating func readText(_ content: some ByteSource, _ place: Reading) {
        Self.windows(of: content, 0..<content.count) { bytes, limit in
            add(bytes, .separated, before: limit, nil, place)
            // In Python, names of modules look like hosts.
            guard !place.path.hasSuffix(".py") else { return }
            BareHost.forEach(quotedIn: bytes) { add($0, nil, place) }
        }
    }

    private mutating func readWideText(_ content: some ByteSource, _ isBigEndian: Bool, _ place: Reading) {
        Self.windows(of: content, 0..<content.count) { bytes, _ in
            add(WideText.narrowed(isBigEndian ? Array(bytes.dropFirst()) : bytes), .separated, before: nil, nil, place)
        }
    }

    private mutating func walk(_ node: PropertyNode, keyPath: String, _ place: Reading) {
        switch node.value {
        case .string(let text):
            let bytes = Array(text.utf8)
            add(bytes, .separated, before: nil, keyPath, place)
            if let host = BareHost.found(in: bytes[...]) { add(host, keyPath, place) }
        case .array(let items):
            for (index, item) in items.enumerated() { walk(item, keyPath: "\(keyPath).\(index)", place) }
        case .dictionary(let members):
            let isList = keyPath.hasSuffix(ATSKey.exceptionDomains) || keyPath.hasSuffix(ATSKey.pinnedDomains)
            for member in members {
                if isList, let host = BareHost.found(in: Array(member.key.utf8)[...]) { add(host, keyPath, place) }
                walk(member.node, keyPath: keyPath.isEmpty ? member.key : keyPath + "." + member.key, place)
            }
        case .boolean, .integer, .real, .data, .date: break
        }
    }

    private mutating func add(
        _ bytes: [UInt8], _ order: URLScanner.Order, before limit: Int?, _ part: String?, _ place: Reading
    ) {
        URLScanner(order: order, readsSentences: place.readsSentences).scan(bytes, before: limit) {
            add($0, part, place)
        }
    }

    private mutating func add(_ found: FoundText, _ part: String?, _ place: Reading) {
        hosts.add(
            found, at: FoundPlace(file: place.path, part: part), in: place.executable, isDocument: place.isDocument)
    }

    /// Calls `body` with overlapping pieces, and with the place before which a URL must begin in each; nil in the last.
    private static func windows(
        of content: some ByteSource, _ range: Range<Int>, _ body: ([UInt8], Int?) -> Void
    ) {
        var start = range.lowerBound
        while start < range.upperBound {
            let first = max(range.lowerBound, start - Self.overlap)
            let end = min(range.upperBound, start + Self.windowBytes + Self.overlap)
            let bytes = content.bytes(at: first, count: end - first)
            guard !bytes.isEmpty else { return }
            body(bytes, end == range.upperBound ? nil : start + Self.windowBytes - first)
            start += Self.windowBytes
        }
    }

    private static let windowBytes = 1 << 20
    /// The longest URL whose end is looked for, and the bytes before one.
    private static let overlap = 4_352
    private static let wideMark: [UInt8] = [0x3A, 0, 0x2F, 0, 0x2F, 0]
    private static let hermesPart = "string table"
    private static let unityPart = "string literals"
}
