import Bytes

/// The reader's position in a chunk. Source: RFC 9112 section 7.1.
enum ChunkState: Sendable {
    /// In the size: its value so far, and how many digits it has.
    case size(Int64, digits: Int)
    /// In extensions, which are skipped.
    case extensions(Int64)
    /// After the CR of the size line.
    case sizeLineFeed(Int64)
    /// In the payload; the bytes still to come, at least one.
    case data(Int64)
    /// Before the CR, or before the LF, after the payload.
    case dataReturn
    case dataLineFeed
}

extension MessageReader {
    /// Reads chunk lines until payload, or the end of the bytes.
    mutating func readChunks(_ view: ByteView, _ chunk: ChunkState, _ step: inout Step) throws(WireError) {
        var chunk = chunk
        var index = 0
        while index < view.count {
            switch chunk {
            case .size(let size, let digits):
                chunk = try afterSizeByte(view[index], size, digits)
            case .extensions(let size):
                chunk = try afterExtensionByte(view[index], size)
            case .sizeLineFeed(let size):
                guard view[index] == Ascii.lineFeed else { throw .bareCarriageReturn }
                guard size > 0 else {
                    step.consumed = index + 1
                    return try readTrailers(view, HeadScan(), &step)
                }
                chunk = .data(size)
            case .data(let left):
                let count = Int(min(Int64(view.count - index), left))
                state = .chunk(Int64(count) == left ? .dataReturn : .data(left - Int64(count)))
                return step.setPayload(index..<(index + count))
            case .dataReturn:
                guard view[index] == Ascii.carriageReturn else { throw .badChunk }
                chunk = .dataLineFeed
            case .dataLineFeed:
                guard view[index] == Ascii.lineFeed else { throw .badChunk }
                chunk = .size(0, digits: 0)
            }
            index += 1
        }
        state = .chunk(chunk)
        step.consumed = index
    }

    private func afterSizeByte(_ byte: UInt8, _ size: Int64, _ digits: Int) throws(WireError) -> ChunkState {
        if let digit = hexadecimalValue(byte) {
            // Sixteen digits hold every Int64; more leading zeros have no legitimate use.
            guard digits < 16, size <= Int64.max >> 4 else { throw .chunkSizeOverflow }
            return .size(size << 4 | Int64(digit), digits: digits + 1)
        }
        guard digits > 0 else { throw .badChunk }
        switch byte {
        case Ascii.semicolon: return .extensions(size)
        case Ascii.carriageReturn: return .sizeLineFeed(size)
        case Ascii.lineFeed: throw .bareLineFeed
        default: throw .badChunk
        }
    }

    private mutating func afterExtensionByte(_ byte: UInt8, _ size: Int64) throws(WireError) -> ChunkState {
        switch byte {
        case Ascii.carriageReturn: return .sizeLineFeed(size)
        case Ascii.lineFeed: throw .bareLineFeed
        case 0: throw .nulByte
        case _ where isControl(byte): throw .badChunk
        default:
            extensionBytes += 1
            guard extensionBytes <= limits.chunkExtensionBytes else { throw .chunkExtensionTooLong }
            return .extensions(size)
        }
    }
}
