import ATSPolicy
import ControlPlane
import Declarations
import Diagnosis
import ProxyServer
import Text

extension Declaration {
    /// The findings of `atsgate lint`.
    ///
    /// - Parameter path: the file that it was read from; nil if there is none, `-` for standard input. Findings that
    ///   comments in that file disable are left out, as for `lint`.
    func linted(at path: String?) -> LintedFile {
        let file = Linter().lint(self)
        guard let path, path != "-" else { return file }
        guard !StorePolicy.isOne(path) else { return StorePolicy.text(of: path).map(file.located) ?? file }
        // A bundle has one dictionary that the gate enforces, and others for its extensions.
        let all = (try? DeclarationReader.read(path: path)) ?? []
        return all.first { $0.declaration == self }?.text.map(file.located) ?? file
    }
}

extension GateInterface.Problems {
    /// The findings of `atsgate lint` in the dictionary that a gate enforces; nil if there are none.
    ///
    /// - Parameters:
    ///   - path: the file that it was read from, as the user named it; nil if there is none.
    init?(in declaration: Declaration, at path: String?) {
        let found = declaration.linted(at: path).problems
        self.init(
            errors: found.count { $0.severity == .error }, warnings: found.count { $0.severity == .warning },
            command: path.flatMap { $0 == "-" || StorePolicy.isOne($0) ? nil : "atsgate lint \($0.shellWord)" },
            remarks: found.map(\.remark))
        guard errors + warnings > 0 else { return nil }
    }

    /// The findings for a running gate.
    ///
    /// - Parameter policyPath: nil if it enforces the secure defaults.
    init?(of gate: Gate, policyPath: String?) {
        guard policyPath != nil || gate.isReplaced else { return nil }
        let isStored = policyPath.map(StorePolicy.isOne) ?? false
        self.init(
            in: gate.declaration, at: gate.isReplaced ? nil : isStored ? gate.declaration.source : policyPath)
    }

    /// One line, as in `6 problems in Info.plist (2 errors, 4 warnings): atsgate lint Info.plist`.
    func sentence(about name: String) -> String {
        func words(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }
        let counts = [(errors, "error"), (warnings, "warning")].filter { $0.0 > 0 }.map { words($0.0, $0.1) }
        let head = "\(words(errors + warnings, "problem")) in \(name) (\(counts.joined(separator: ", ")))"
        return head + (command.map { ": \($0)" } ?? "")
    }
}
