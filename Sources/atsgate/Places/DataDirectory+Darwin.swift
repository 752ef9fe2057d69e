#if canImport(Darwin)
extension DataDirectory {
    /// Source: Apple, File System Programming Guide, "macOS Library Directory Details". As on Linux, an absolute
    /// XDG_DATA_HOME has priority, so that scripts and tests can give each gate its own files.
    static func path(environment: [String: String], home: String) -> String {
        let base = environment["XDG_DATA_HOME", default: ""]
        return (base.hasPrefix("/") ? base : home + "/Library/Application Support") + "/atsgate"
    }
}
#endif
