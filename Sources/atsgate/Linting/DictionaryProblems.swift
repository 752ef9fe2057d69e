import ATSPolicy
import ControlPlane
import Declarations
import Diagnosis
import ProxyServer
import Text

extension GateInterface.Problems {
    /// What `atsgate lint` finds in the dictionary that a gate enforces; nil for nothing.
    ///
    /// - Parameters:
    ///   - path: the file that it was read from, as the user named it; nil where it was not read from one. What
    ///     comments in that file disable does not count, as for `lint`.
    init?(in declaration: Declaration, at path: String?) {
        let path = path == "-" ? nil : path
        var file = Linter().lint(declaration)
        // A bundle has one dictionary that the gate enforces, and others for its extensions.
        let all = path.flatMap { try? DeclarationReader.read(path: $0) } ?? []
        if let text = all.first(where: { $0.declaration == declaration })?.text { file = file.located(in: text) }
        self.init(
            errors: file.findings.count { $0.severity == .error },
            warnings: file.findings.count { $0.severity == .warning },
            command: path.map { "atsgate lint \($0.shellWord)" })
        guard errors + warnings > 0 else { return nil }
    }

    /// The same for a running gate.
    ///
    /// - Parameter policyPath: nil where it enforces the secure defaults.
    init?(of gate: Gate, policyPath: String?) {
        guard policyPath != nil || gate.isReplaced else { return nil }
        self.init(in: gate.declaration, at: gate.isReplaced ? nil : policyPath)
    }

    /// One line, as in `6 problems in Info.plist (2 errors, 4 warnings): atsgate lint Info.plist`.
    func sentence(about name: String) -> String {
        func words(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }
        let counts = [(errors, "error"), (warnings, "warning")].filter { $0.0 > 0 }.map { words($0.0, $0.1) }
        let head = "\(words(errors + warnings, "problem")) in \(name) (\(counts.joined(separator: ", ")))"
        return head + (command.map { ": \($0)" } ?? "")
    }
}
