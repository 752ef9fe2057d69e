/// The hosts in a single file.
public enum FileHosts {
    /// The URLs and hosts, each once, without those that are not loads.
    ///
    /// - Parameter path: decides how the bytes are read, together with their beginning.
    public static func found(in bytes: [UInt8], path: String) -> [FoundText] {
        var reader = HostReader()
        let type = FileType(path: path, beginning: Array(bytes.prefix(64)))
        _ = reader.read(bytes, as: type, path: path, in: "")
        let hosts = reader.hosts
        return (hosts.sorted + hosts.sortedTemplates).map { row in
            FoundText(
                scheme: row.key.scheme, host: row.key.host, port: row.key.port, text: row.name,
                isTemplate: row.key.host.isEmpty)
        }
    }
}
