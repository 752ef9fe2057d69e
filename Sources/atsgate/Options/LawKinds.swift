import ATSPolicy
import Text

extension ValueKind<OSProfile?> {
    /// `auto`, or the name of any release from iOS 9 on.
    static let system = ValueKind(
        ValueForm(placeholder: "profile", suggestion: .systems),
        read: { (text: String) throws(ValueProblem) in
            if text.lowercased() == "auto" { return nil }
            if let profile = OSProfile.titled(text) { return profile }
            // iOS and macOS number their builds separately: 24A435 is iOS 27, 26A428 is macOS 27 (public logs).
            guard text.wholeMatch(of: /[0-9]{2}[A-Z][0-9]{1,5}[a-z]?/) == nil else {
                throw ValueProblem(
                    "\(text) is a build number, which does not identify the platform: name the release, for example "
                        + OSProfile.newest.name)
            }
            let near = OSProfile.names(near: text).joined(separator: ", ")
            throw ValueProblem("\(text) is not a release with ATS; the nearest are \(near)")
        },
        write: { $0?.name ?? "auto" })
}

extension ValueKind<Loader> {
    static let loader = ValueKind.choice("loader")
}

extension ValueKind<SwitchSetting> {
    /// `NAME=VALUE` of any reading.
    static let reading = ValueKind(
        ValueForm(placeholder: "name=value"),
        read: { (text: String) throws(ValueProblem) in
            if let setting = SwitchSetting(text) { return setting }
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            let (name, value) = (parts.first ?? "", parts.dropFirst().first ?? "")
            guard let row = JudgeSwitch.all.first(where: { $0.name == name }) else {
                throw ValueProblem("\"\(name)\" is not a reading; atsgate explain readings lists them")
            }
            throw ValueProblem("\"\(value)\" is not a value of \(name): \(row.form)")
        })

    /// The value of one reading.
    static func value(of row: JudgeSwitch) -> ValueKind {
        ValueKind(
            ValueForm(placeholder: row.placeholder, choices: row.values),
            read: { (text: String) throws(ValueProblem) in
                if let setting = SwitchSetting("\(row.name)=\(text)") { return setting }
                throw ValueProblem(row.form)
            })
    }
}

extension JudgeSwitch {
    /// The form of a value, for messages.
    var form: String { values.isEmpty ? summary : "write one of \(values.joined(separator: ", "))" }
}
