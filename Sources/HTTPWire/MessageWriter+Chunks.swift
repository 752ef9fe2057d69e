public import Bytes

extension MessageWriter {
    /// Writes one chunk. Writes nothing if `bytes` is empty, because an empty chunk would end the body.
    public static func chunk(_ bytes: UnsafeRawBufferPointer, to queue: ByteQueue) {
        guard bytes.count > 0 else { return }
        queue.append(limit: bytes.count + 20) { memory in
            var memoryWriter = MemoryWriter(memory)
            memoryWriter.put(UInt64(bytes.count), radix: 16)
            memoryWriter.put("\r\n")
            memoryWriter.put(bytes)
            memoryWriter.put("\r\n")
            return memoryWriter.used
        }
    }

    /// Writes the last chunk and trailers, without fields that frame, route or belong to one connection (RFC 9110
    /// section 6.5.1).
    public static func chunkEnd(trailers: FieldBlock?, to queue: ByteQueue) {
        let room = (trailers?.storage.count ?? 0) + 8
        queue.append(limit: room) { memory in
            var memoryWriter = MemoryWriter(memory)
            memoryWriter.put("0\r\n")
            trailers?.walk { record, view in
                if record.bit & notInTrailers == 0 { memoryWriter.put(view.slice(record.line)) }
                return true
            }
            memoryWriter.put("\r\n")
            return memoryWriter.used
        }
    }

    static let notInTrailers: UInt64 =
        hopByHop | KnownField.host.bit | KnownField.trailer.bit | KnownField.expect.bit | KnownField.maxForwards.bit
        | KnownField.authorization.bit | KnownField.cookie.bit | KnownField.setCookie.bit | KnownField.range.bit
        | KnownField.contentType.bit | KnownField.contentEncoding.bit | KnownField.cacheControl.bit
}
