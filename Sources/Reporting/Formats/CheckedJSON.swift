import Foundation

extension String {
    /// Decodes the inside of a JSON string from an untrusted file; nil if it is invalid. For trusted text, `JSONInside`
    /// of Records is faster.
    init?(checkedJSONInside inside: [UInt8]) {
        guard inside.contains(UInt8(ascii: "\\")) else {
            self.init(validating: inside, as: UTF8.self)
            return
        }
        let quotation = [UInt8(ascii: "\"")]
        guard let text = try? JSONDecoder().decode(String.self, from: Data(quotation + inside + quotation)) else {
            return nil
        }
        self = text
    }
}
