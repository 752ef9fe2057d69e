/// The /etc/resolv.conf of a command whose DNS questions the gate answers: the system's own search list and options,
/// with another server. Source: resolv.conf(5).
public enum ResolverFile {
    /// - Parameter system: the content of the system's file.
    public static func text(from system: String) -> String {
        let kept = system.split(whereSeparator: \.isNewline).filter { line in
            let word = line.split(whereSeparator: \.isWhitespace).first ?? ""
            return word == "search" || word == "domain" || word == "options"
        }
        return (["nameserver 127.0.0.1"] + kept.map(String.init)).map { $0 + "\n" }.joined()
    }
}
