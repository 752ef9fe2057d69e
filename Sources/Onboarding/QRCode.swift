internal import CQRencode

/// A text as a QR code. Source: ISO/IEC 18004, by libqrencode.
public struct QRCode: Sendable, Hashable {
    /// Modules of one side, without the quiet zone.
    public let width: Int
    /// Row by row; true is dark.
    private let modules: [Bool]

    /// - Returns: nil for an empty text, and for one that is too long.
    public init?(_ text: String) {
        guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1) else { return nil }
        defer { QRcode_free(code) }
        width = Int(code.pointee.width)
        // The lowest bit of each byte is the colour (qrencode.h).
        modules = (0..<width * width).map { code.pointee.data[$0] & 1 == 1 }
    }

    /// True for a dark module; false outside of the code.
    public func isDark(_ column: Int, _ row: Int) -> Bool {
        (0..<width).contains(column) && (0..<width).contains(row) && modules[row * width + column]
    }

    /// The width of the light margin, in modules. ISO/IEC 18004 requires 4.
    static let quietZone = 4
}
