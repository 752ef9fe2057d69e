public import ATSPolicy
import Declarations
import Diagnosis

/// Reads an app, and judges every host that its files name.
public struct AppAudit {
    /// The release by which hosts are judged; nil for the newest of the app's platform.
    private let profile: OSProfile?
    private let progress: (Int, Int, String) -> Void

    /// - Parameter progress: receives the number of files that were read, the number of all, and the next one.
    public init(on profile: OSProfile? = nil, progress: @escaping (Int, Int, String) -> Void = { _, _, _ in }) {
        self.profile = profile
        self.progress = progress
    }

    /// - Parameter path: an .app, .appex, .ipa or .xcarchive, a zip archive of one of these, or a property list.
    /// - Throws: if it cannot be read, or contains no app.
    public func audit(_ path: String) throws(DeclarationError) -> AuditReport {
        let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        let name = trimmed.split(separator: "/").last.map(String.init) ?? trimmed
        let isFile = try AppContents.isFile(path)
        if isFile, try !AppContents.isArchive(path) { return try auditFile(path) }
        let isXcode = name.hasSuffix(".xcarchive")
        let folder = isXcode && !isFile ? trimmed + "/Products/Applications" : trimmed
        let contents = try AppContents(path: folder)
        let layout = BundleLayout(contents, name: contents.isArchive || isXcode ? nil : name)
        guard !layout.bundles.isEmpty else {
            throw DeclarationError(source: path, what: "contains no .app with an Info.plist")
        }
        let digest = contents.isArchive ? try ContentDigest.file(path) : nil
        return try audit(contents, layout, path: path, digest: digest)
    }

    private func audit(
        _ contents: AppContents, _ layout: BundleLayout, path: String, digest: String?
    ) throws(DeclarationError) -> AuditReport {
        var reading = AppReading()
        for (index, (file, place)) in layout.files.enumerated() {
            progress(index, layout.files.count, place)
            guard let bundle = layout.owner(of: place) else { continue }
            try reading.read(file, of: contents, path: place, in: bundle.path)
        }
        let parsed = try layout.bundles.map { bundle throws(DeclarationError) in
            try Self.parse(bundle, contents, path: path)
        }
        let app = parsed.first?.list.declaration
        let profile = profile ?? Self.newest(for: app, binaries: reading.binaries.values)
        let executables = zip(layout.bundles, parsed).map { bundle, parsed in
            AuditedExecutable(
                path: bundle.path, kind: bundle.kind, parsed: parsed.list, app: app,
                binary: parsed.binaryPaths.lazy.compactMap { reading.binaries[$0] }.first,
                certificates: reading.certificates[bundle.path] ?? [], on: profile)
        }
        return AuditReport(
            path: path, digest: digest ?? reading.folderDigest.value, paths: layout.files.map(\.path),
            executables: executables, reader: reading.hosts, profile: profile)
    }

    /// A property list or an Expo configuration without an app.
    private func auditFile(_ path: String) throws(DeclarationError) -> AuditReport {
        let all = try DeclarationReader.read(path: path)
        var reader = HostReader()
        let profile = profile ?? Self.newest(for: all.first?.declaration, binaries: [])
        let executables = all.map { loaded in
            let root = try? PropertyFile(loaded.bytes, source: path).root
            if let root { reader.read(root, path: path, in: path) }
            let parsed = ParsedPropertyList(file: path, declaration: loaded.declaration, root: root, text: loaded.text)
            return AuditedExecutable(
                path: path, kind: .file, parsed: parsed, app: nil, binary: nil, certificates: [], on: profile)
        }
        return AuditReport(
            path: path, digest: try ContentDigest.file(path), paths: [path], executables: executables, reader: reader,
            profile: profile)
    }

    /// The Info.plist of a bundle, and the paths that its executable may have.
    private static func parse(
        _ bundle: BundleLayout.Bundle, _ contents: AppContents, path: String
    ) throws(DeclarationError) -> (list: ParsedPropertyList, binaryPaths: [String]) {
        let place = bundle.contents + "/Info.plist"
        guard let content = try contents.open(bundle.infoPlist) else {
            throw DeclarationError(source: place, what: "is empty")
        }
        let bytes = content.bytes(at: 0, count: DeclarationLimits.fileBytes + 1)
        let file = try PropertyFile(bytes, source: place)
        let declaration = try Declaration(root: file.root, source: place)
        var name = bundle.path.split(separator: "/").last?.split(separator: ".").first.map(String.init) ?? ""
        if case .dictionary(let members) = file.root.value,
            case .string(let written)? = members.last("CFBundleExecutable")?.node.value
        {
            name = written
        }
        let list = ParsedPropertyList(file: place, declaration: declaration, root: file.root, text: file.text)
        return (list, [bundle.contents + "/" + name, bundle.contents + "/MacOS/" + name])
    }

    /// The newest release of the app's platform.
    private static func newest(
        for declaration: Declaration?, binaries: some Collection<MachOFile>
    ) -> OSProfile {
        let platforms = binaries.flatMap { $0.slices.compactMap { $0.build?.platform } }
        let platform = declaration?.platform ?? platforms.first
        return platform == .macos ? .macOS27 : .newest
    }
}

/// The content of an app's files, collected one after the other.
private struct AppReading {
    private(set) var hosts = HostReader()
    /// By path.
    private(set) var binaries: [String: MachOFile] = [:]
    /// By path of the program.
    private(set) var certificates: [String: [BundledCertificate]] = [:]
    private(set) var folderDigest = FolderDigest()

    mutating func read(
        _ file: AppFile, of contents: AppContents, path: String, in executable: String
    ) throws(DeclarationError) {
        var type = FileType.skipped
        // All files of a folder are read, for its digest.
        let content = try contents.open(file) { beginning in
            type = FileType(path: path, beginning: beginning)
            return !contents.isArchive || type != .skipped && type != .archive
        }
        if let content, !contents.isArchive { folderDigest.add(content, path: path) }
        if type == .archive { _ = hosts.read([UInt8](), as: .archive, path: path, in: executable) }
        guard let content, type != .archive else { return }
        if type == .certificate, content.count <= BundledCertificate.mostBytes,
            let certificate = BundledCertificate(content.bytes(at: 0, count: content.count), path: path)
        {
            certificates[executable, default: []].append(certificate)
        }
        binaries[path] = hosts.read(content, as: type, path: path, in: executable)
    }
}
