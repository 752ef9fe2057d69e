#if canImport(Darwin)
extension DataDirectory {
    /// Source: Apple, File System Programming Guide, "macOS Library Directory Details".
    static func path(environment: [String: String], home: String) -> String {
        home + "/Library/Application Support/atsgate"
    }
}
#endif
