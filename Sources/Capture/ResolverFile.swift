/// What /etc/resolv.conf says for a command whose questions the gate answers: the system's own search list and options,
/// but another server. Source: resolv.conf(5).
public enum ResolverFile {
    /// - Parameter system: what it says outside.
    public static func text(from system: String) -> String {
        let kept = system.split(whereSeparator: \.isNewline).filter { line in
            let word = line.split(whereSeparator: \.isWhitespace).first ?? ""
            return word == "search" || word == "domain" || word == "options"
        }
        return (["nameserver 127.0.0.1"] + kept.map(String.init)).map { $0 + "\n" }.joined()
    }
}
