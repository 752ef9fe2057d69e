import ATSPolicy

/// What `--os` takes.
enum SystemChoice: Sendable, Hashable {
    case auto
    case profile(OSProfile)

    /// `auto`, or the name of any release from iOS 9 on.
    init(argument: String) throws(ValueProblem) {
        if argument.lowercased() == "auto" {
            self = .auto
        } else if let profile = OSProfile.named(argument) {
            self = .profile(profile)
        } else {
            let near = OSProfile.names(near: argument).joined(separator: ", ")
            throw ValueProblem("no release with ATS is called \(argument); near it are \(near)")
        }
    }
}
