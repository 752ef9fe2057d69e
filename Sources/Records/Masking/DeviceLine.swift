/// A line of a device's log: a sentence that contains certificates as `<cert(0x7f…) s: SUBJECT i: ISSUER>`.
enum DeviceLine {
    /// Returns the line with its names masked.
    static func masked(_ text: String, by names: NameMask, _ known: KnownNames) -> String {
        guard names.hidesAll, text.contains(certificate) else { return names.sentence(text, known) }
        var kept = ""
        var rest = text[...]
        while let mark = rest.firstRange(of: certificate) {
            let end = rest[mark.lowerBound...].firstIndex(of: ">") ?? rest.endIndex
            kept += names.sentence(String(rest[..<mark.lowerBound]), known)
            kept += "<cert s: " + names.token("d", String(rest[mark.upperBound..<end]))
            rest = rest[end...]
        }
        return kept + names.sentence(String(rest), known)
    }

    private static let certificate = "<cert("
}
