public import Bytes

extension MessageWriter {
    /// Writes one chunk; nothing when `bytes` is empty, since an empty chunk would end the body.
    public static func chunk(_ bytes: UnsafeRawBufferPointer, to queue: ByteQueue) {
        guard bytes.count > 0 else { return }
        queue.append(limit: bytes.count + 20) { memory in
            var pen = Pen(memory)
            pen.put(UInt64(bytes.count), radix: 16)
            pen.put("\r\n")
            pen.put(bytes)
            pen.put("\r\n")
            return pen.used
        }
    }

    /// Writes the last chunk and trailers. Fields that frame, route or belong to one connection are left out of them
    /// (RFC 9110 section 6.5.1).
    public static func chunkEnd(trailers: FieldBlock?, to queue: ByteQueue) {
        let room = (trailers?.storage.count ?? 0) + 8
        queue.append(limit: room) { memory in
            var pen = Pen(memory)
            pen.put("0\r\n")
            trailers?.walk { record, view in
                if record.bit & notInTrailers == 0 { pen.put(view.slice(record.line)) }
                return true
            }
            pen.put("\r\n")
            return pen.used
        }
    }

    static let notInTrailers: UInt64 =
        hopByHop | KnownField.host.bit | KnownField.trailer.bit | KnownField.expect.bit | KnownField.maxForwards.bit
        | KnownField.authorization.bit | KnownField.cookie.bit | KnownField.setCookie.bit | KnownField.range.bit
        | KnownField.contentType.bit | KnownField.contentEncoding.bit | KnownField.cacheControl.bit
}
