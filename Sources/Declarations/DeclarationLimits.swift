import ATSPolicy

/// Limits for reading a policy. The file may come from an untrusted sender of an app, and a running gate reads it again
/// after every change. So the cost of every file is limited.
public enum DeclarationLimits {
    /// Larger files and archive entries are rejected. Of a few hundred Info.plists of public apps the largest has some
    /// 100 KiB.
    public static let fileBytes = 16_777_216

    /// Limit for all entries of an archive together, unpacked. Sizes in its directory are not trusted, and deflate
    /// packs zeros 1,032 times (zlib, "Maximum Compression Factor").
    public static let archiveBytes = 2 * fileBytes

    /// Limit for all values of one path together, with their nodes. A binary property list may refer to one object any
    /// number of times, and each reference is a separate value in the tree.
    public static let valueBytes = 4 * fileBytes

    /// Values nested deeper than this are rejected: readers and judges walk the tree by recursion.
    static let depth = 64

    /// Cost of one value in addition to its content, rounded up from the size of a node.
    static let nodeBytes = 96

    /// The error for a file or an entry beyond ``fileBytes``.
    static func tooLarge(_ source: String) -> DeclarationError {
        DeclarationError(source: source, what: "larger than \(fileBytes >> 20) MiB, the limit for a policy")
    }
}

/// The remaining budget for the declarations of one path.
struct DecodingBudget {
    private var archiveLeft = DeclarationLimits.archiveBytes
    private var valuesLeft = DeclarationLimits.valueBytes

    /// Charges bytes that were unpacked from an archive.
    mutating func unpack(_ count: Int, source: String) throws(DeclarationError) {
        archiveLeft -= count
        guard archiveLeft >= 0 else {
            let limit = DeclarationLimits.archiveBytes >> 20
            throw DeclarationError(source: source, what: "its property lists unpack to more than \(limit) MiB")
        }
    }

    /// Charges one value.
    ///
    /// - Parameter count: size of its own content in bytes.
    /// - Returns: false if the budget is exhausted.
    mutating func charge(_ count: Int) -> Bool {
        valuesLeft -= count + DeclarationLimits.nodeBytes
        return valuesLeft >= 0
    }

    /// The text of the error for an exhausted budget.
    static let exhausted = "its values take more than \(DeclarationLimits.valueBytes >> 20) MiB"
}
