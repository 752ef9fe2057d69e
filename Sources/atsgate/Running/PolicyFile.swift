import Declarations
import Files
import Fleet

/// A copy of a shared store's dictionary on this machine, for a gate that starts while the server is unreachable. The
/// first line describes it; the pushed content follows.
struct PolicyFile {
    let policy: SharedPolicy
    /// When the server last confirmed that this is the newest version: milliseconds since 1970.
    let got: Int64

    init(_ policy: SharedPolicy, got: Int64) {
        self.policy = policy
        self.got = got
    }

    /// - Returns: nil if the file does not exist, or does not contain the requested version.
    init?(path: String, of reference: PolicyReference) {
        let limit = DeclarationLimits.fileBytes + Self.headBytes
        guard let bytes = try? InputFile.bytes(of: path, upTo: limit), let end = bytes.firstIndex(of: Self.lineEnd),
            end < Self.headBytes
        else { return nil }
        let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
        guard words.count == 6, words[0] == Self.kind, words[1] == reference.name, let version = Int64(words[2]),
            reference.version == nil || reference.version == version,
            let pushed = Int64(words[4]), let got = Int64(words[5])
        else { return nil }
        policy = SharedPolicy(
            name: reference.name, version: version, content: Array(bytes[(end + 1)...]), digest: String(words[3]),
            pushed: pushed, by: "")
        self.got = got
    }

    /// - Throws: ``CommandFailure``; the old file stays then.
    func write(to path: String) throws {
        let words = [
            Self.kind, policy.name, "\(policy.version)", policy.digest, "\(policy.pushed)", "\(got)",
        ]
        let head = Array(words.joined(separator: " ").utf8) + [Self.lineEnd]
        try WholeFile.writePrivate(head + policy.content, to: path)
    }

    private static let kind = "atsgate-policy"
    private static let headBytes = 512
    private static let lineEnd = UInt8(ascii: "\n")
}
