import FlyingFox
import FlyingSocks
import Foundation
import Reporting

/// What is handed over as a file, each piece made when the one before has been taken: formats with a row for each load
/// take no more memory for many loads than for a few. The others are whole before they begin; they grow with what is
/// distinct in the loads.
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
            if let piece = first, !piece.isEmpty {
                first = nil
                return piece
            }
            guard let rest else { return nil }
            // A chunk of no bytes is the last one (RFC 9112 section 7.1).
            return try await source.aside {
                while let piece = try rest.next() { if !piece.isEmpty { return piece } }
                return nil
            }
        }
    }
}
