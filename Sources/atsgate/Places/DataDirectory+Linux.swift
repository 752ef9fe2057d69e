#if os(Linux)
extension DataDirectory {
    /// Source: XDG Base Directory Specification 0.8; a relative XDG_DATA_HOME must be ignored.
    static func path(environment: [String: String], home: String) -> String {
        let base = environment["XDG_DATA_HOME", default: ""]
        return (base.hasPrefix("/") ? base : home + "/.local/share") + "/atsgate"
    }
}
#endif
