import Foundation

extension String {
    /// What the inside of a JSON string says, out of a file that anybody may have written; nil for what is none. What this
    /// program wrote itself is read with less care, and quicker, by `JSONInside` of Records.
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
