import ATSPolicy

/// What a policy may cost to read. It may come from anybody who can send in an app, and a running gate reads it again
/// whenever it changes, so that no file may take more than this.
public enum DeclarationLimits {
    /// Larger files, and larger entries of an archive, are refused. The largest of a few hundred Info.plists of public
    /// apps has some 100 KiB.
    public static let fileBytes = 16_777_216

    /// All entries of an archive together, unpacked: what their own sizes say is not believed, and deflate packs zeros
    /// 1,032 times (zlib, "Maximum Compression Factor").
    public static let archiveBytes = 2 * fileBytes

    /// All values of one path together, with what holds them. A binary property list may refer to one object any
    /// number of times, and each reference is a value of its own in the tree.
    public static let valueBytes = 4 * fileBytes

    /// Values nested deeper than this are refused: readers and judges walk the tree by recursion.
    static let depth = 64

    /// What one value takes beside its content, as rounded up from the size of a node.
    static let nodeBytes = 96

    /// The error for a file or an entry beyond ``fileBytes``.
    static func tooLarge(_ source: String) -> DeclarationError {
        DeclarationError(source: source, what: "larger than \(fileBytes >> 20) MiB, the limit for a policy")
    }
}

/// What is left to spend on the declarations of one path.
struct DecodingBudget {
    private var archiveLeft = DeclarationLimits.archiveBytes
    private var valuesLeft = DeclarationLimits.valueBytes

    /// Pays for bytes that came out of an archive.
    mutating func unpack(_ count: Int, source: String) throws(DeclarationError) {
        archiveLeft -= count
        guard archiveLeft >= 0 else {
            let limit = DeclarationLimits.archiveBytes >> 20
            throw DeclarationError(source: source, what: "the lists of the archive unpack to more than \(limit) MiB")
        }
    }

    /// Pays for one value.
    ///
    /// - Parameter count: of its own content in bytes.
    /// - Returns: false when there is no more to spend.
    mutating func hold(_ count: Int) -> Bool {
        valuesLeft -= count + DeclarationLimits.nodeBytes
        return valuesLeft >= 0
    }

    /// For errors.
    static let exhausted = "its values take more than \(DeclarationLimits.valueBytes >> 20) MiB"
}
