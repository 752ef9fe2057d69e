import FlyingFox
import FlyingSocks
import Foundation
import Reporting

/// What is handed over as a file: each piece is made when the one before has been taken, so that an export of any
/// length takes no more memory than a short one.
struct ExportBody: AsyncBufferedSequence {
    typealias Element = UInt8

    private let first: [UInt8]
    private let rest: ReportStream?
    private let source: LoadSource

    init(_ export: LoadSource.Export, from source: LoadSource) {
        (first, rest) = (export.first, export.rest)
        self.source = source
    }

    /// For an answer.
    var sequence: HTTPBodySequence {
        guard rest != nil else { return HTTPBodySequence(data: Data(first)) }
        return HTTPBodySequence(from: self)
    }

    func makeAsyncIterator() -> Iterator { Iterator(first: first, rest: rest, source: source) }

    struct Iterator: AsyncBufferedIteratorProtocol {
        fileprivate var first: [UInt8]?
        fileprivate let rest: ReportStream?
        fileprivate let source: LoadSource

        /// The sequence is taken in pieces.
        mutating func next() async throws -> UInt8? { nil }

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            if let piece = first {
                first = nil
                return piece
            }
            guard let rest else { return nil }
            return try await source.aside { try rest.next() }
        }
    }
}
