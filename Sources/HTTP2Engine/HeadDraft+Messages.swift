internal import HTTPWire

extension HeadDraft {
    /// Returns the request for the collected fields. Source: RFC 9113 sections 8.1.1, 8.3.1 and 8.5, RFC 8441 section
    /// 4.
    func request(endsStream: Bool) throws(HTTP2MessageFault) -> HTTP2Request {
        if let fault { throw fault }
        try require(.method)
        guard let method = pseudo.method else { throw .missingPseudoField }
        let isTunnel = method == .connect && pseudo.protocolName == nil
        try checkParts(isTunnel: isTunnel, isConnect: method == .connect)
        let block = fields.block()
        guard block.contains(.host) else { throw .missingPseudoField }
        var framing = try framing(of: block, endsStream: endsStream, hasBody: true)
        if case .fixed(let length) = framing, length > 0, endsStream { throw .contradictedLength }
        if method == .connect, case .fixed(let length) = framing {
            guard length == 0 else { throw .wire(.connectWithBody) }
            framing = endsStream ? .none : .chunked
        }
        var head = RequestHead(
            method: method, target: try target(of: method, isTunnel: isTunnel), fields: block, framing: framing)
        head.isFromHTTP2 = true
        head.expectsContinue = framing != .none && block.contains("100-continue", in: .expect)
        return HTTP2Request(
            head: head, scheme: pseudo.scheme, protocolName: pseudo.protocolName, endsStream: endsStream)
    }

    private func checkParts(isTunnel: Bool, isConnect: Bool) throws(HTTP2MessageFault) {
        if pseudo.has(.protocol), !isConnect { throw .unknownPseudoField }
        if isConnect { try require(.authority) }
        if isTunnel {
            if pseudo.has(.scheme) || pseudo.has(.path) { throw .unknownPseudoField }
        } else {
            try require(.scheme)
            try require(.path)
        }
    }

    private func target(of method: Method, isTunnel: Bool) throws(HTTP2MessageFault) -> RequestTarget {
        do throws(WireError) {
            guard let target = isTunnel ? try fields.connectTarget() : pseudo.target else { throw .badTarget }
            guard target != .asterisk || method == .options else { throw .badTarget }
            return target
        } catch {
            throw .wire(error)
        }
    }

    private func require(_ field: PseudoField) throws(HTTP2MessageFault) {
        guard pseudo.has(field) else { throw .missingPseudoField }
    }

    /// Returns the response for the collected fields.
    ///
    /// - Parameter requestKind: the kind of request that it answers.
    func response(endsStream: Bool, to requestKind: ResponseHead.Answering) throws(HTTP2MessageFault) -> ResponseHead {
        if let fault { throw fault }
        try require(.status)
        let status = pseudo.status
        var block = fields.block()
        // RFC 9110 section 8.6: a 1xx or 204 has no Content-Length. A zero is common in a 204, and dropped.
        if status < 200 || status == 204, block.contains(.contentLength) {
            let length = try length(of: block)
            guard status == 204, length == 0 else { throw .wire(.badLength) }
            block.remove(.contentLength)
        }
        // The content of a tunnel has no length (RFC 9110 section 9.3.6).
        if requestKind == .connect, 200..<300 ~= status { block.remove(.contentLength) }
        if status < 200, endsStream { throw .endedInterim }
        let hasBody = requestKind != .head && status >= 200 && status != 204 && status != 304
        let framing = try framing(of: block, endsStream: endsStream, hasBody: hasBody)
        var head = ResponseHead(status: status, reason: "", fields: block, framing: framing)
        head.isFromHTTP2 = true
        return head
    }

    /// Returns the collected fields as trailers.
    func trailers(endsStream: Bool) throws(HTTP2MessageFault) -> FieldBlock {
        if let fault { throw fault }
        guard endsStream else { throw .openTrailers }
        return fields.block()
    }

    /// Returns the known parts of a request that is rejected.
    func rejected(_ fault: HTTP2MessageFault, on id: Int32) -> HTTP2RejectedRequest {
        HTTP2RejectedRequest(
            streamID: id, fault: fault, method: pseudo.text(.method), scheme: pseudo.text(.scheme),
            authority: fields.block().value(of: .host) ?? pseudo.text(.authority), path: pseudo.text(.path))
    }

    private func framing(
        of block: FieldBlock, endsStream: Bool, hasBody: Bool
    ) throws(HTTP2MessageFault) -> BodyFraming {
        if block.contains(.contentLength) {
            let length = try length(of: block)
            return hasBody ? .fixed(length) : .none
        }
        return endsStream || !hasBody ? .none : .chunked
    }

    private func length(of block: FieldBlock) throws(HTTP2MessageFault) -> Int64 {
        do throws(WireError) {
            return try block.contentLength()
        } catch {
            throw .wire(error)
        }
    }
}
