import ATSPolicy
import Declarations
import Diagnosis

/// The inputs of `lint`, read one after the other; one that cannot be read does not stop the rest.
struct LintSource {
    let linter: Linter
    let build: BuildSettings
    let search: DeclarationSearch

    private(set) var files: [LintedFile] = []
    private(set) var unreadable: [DeclarationError] = []

    mutating func read(_ path: String) {
        if let complaint = build.complaint(about: path) {
            return refuse(DeclarationError(source: path.isEmpty ? "INFOPLIST_FILE" : path, what: complaint))
        }
        guard DeclarationSearch.isFolder(path) else { return load(path) }
        let found = search.paths(in: path)
        guard !found.isEmpty else {
            return refuse(DeclarationError(source: path, what: "no Info.plist in the folder or below it"))
        }
        for path in found { load(path) }
    }

    private mutating func load(_ path: String) {
        do throws(DeclarationError) {
            let all = try DeclarationReader.read(path: path)
            let apps = all.filter { $0.role == .app }
            for loaded in all {
                let app = loaded.role == .appExtension && apps.count == 1 ? apps.first?.declaration : nil
                let file = linter.lint(loaded.declaration, bundle: loaded.bundleName, within: app)
                files.append(loaded.text.map(file.located) ?? file)
            }
        } catch {
            refuse(error)
        }
    }

    private mutating func refuse(_ error: DeclarationError) {
        unreadable.append(error)
        files.append(LintedFile(unreadable: error))
    }
}
