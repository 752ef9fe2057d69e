internal import CPostgres
internal import Text

// What statements are made of.
extension PostgresConnection {
    func open() throws(PostgresError) -> OpaquePointer {
        guard let connection else { throw trouble }
        return connection
    }

    /// Closes it, and says why: in these words, or in those of libpq.
    func broken(_ words: String? = nil) -> PostgresError {
        if let connection {
            let told = words ?? String(cString: pq_error_message(connection))
            trouble = .broken(PostgresWords.line(told, without: secrets))
        }
        close()
        return trouble
    }

    private func late() -> PostgresError {
        broken("the server did not answer within \(patience.milliseconds) ms")
    }

    /// Sends what waits in libpq's memory.
    func flush() throws(PostgresError) {
        let connection = try open()
        while true {
            let left = pq_flush(connection)
            if left == 0 { return }
            let deadline = ContinuousClock.now + patience
            guard left == 1,
                let can = SocketReadiness.wait(pq_socket(connection), for: [.reading, .writing], until: deadline)
            else { throw left == 1 ? late() : broken() }
            // A server that is not read may not read either.
            if can.contains(.reading), pq_consume_input(connection) != 1 { throw broken() }
        }
    }

    /// The next result; nil behind the last one.
    ///
    /// libpq read once when it was asked to, until it was mended (in 2026, inferred): of a TLS record of more than 8 kB, as
    /// poolers and other engines write them, a part could stay behind in OpenSSL, decrypted, and then no socket was readable
    /// any more (github.com/ged/ruby-pg/issues/588, github.com/cockroachdb/cockroach/pull/148222,
    /// github.com/supabase/supavisor/pull/993, read 2026-11-23; observed there. libpq 15.20 reads all of it). So it is asked
    /// before each wait, and again a moment later where nothing came to the socket: an older one may be installed.
    func nextResult() throws(PostgresError) -> OpaquePointer? {
        let connection = try open()
        var deadline = ContinuousClock.now + patience
        var moment = shortestMoment
        while pq_is_busy(connection) == 1 {
            guard pq_consume_input(connection) == 1 else { throw broken() }
            guard pq_is_busy(connection) == 1 else { break }
            let now = ContinuousClock.now
            guard now < deadline else { throw late() }
            let end = min(deadline, now + moment)
            if SocketReadiness.wait(pq_socket(connection), for: .reading, until: end) != nil {
                (deadline, moment) = (.now + patience, shortestMoment)
            } else {
                moment = min(moment * 2, longestMoment)
            }
        }
        return pq_get_result(connection)
    }

    /// Takes all results, and gives back the last one that somebody wants.
    ///
    /// - Throws: what the first says that is an error.
    @discardableResult
    func finish(_ isWanted: (PostgresRows) -> Bool = { _ in true }) throws(PostgresError) -> PostgresRows? {
        var last: PostgresRows?
        var failure: PostgresError?
        while let result = try nextResult() {
            switch UInt32(bitPattern: pq_result_status(result)) {
            case PQ_COMMAND_OK.rawValue, PQ_TUPLES_OK.rawValue, PQ_EMPTY_QUERY.rawValue:
                let rows = PostgresRows(result)
                if isWanted(rows) { last = rows }
            case PQ_COPY_IN.rawValue, PQ_COPY_OUT.rawValue:
                pq_clear(result)
                throw broken("COPY was asked for where nobody copies")
            default:
                failure = failure ?? refusal(result)
                pq_clear(result)
            }
        }
        if pq_status(try open()) != Int32(bitPattern: PQ_CONNECTION_OK.rawValue) {
            throw broken(failure?.description)
        }
        if let failure { throw failure }
        return last
    }

    /// What a result says that is an error. The fields' letters: PostgreSQL 15, section 55.8.
    func refusal(_ result: OpaquePointer) -> PostgresError {
        func field(_ letter: Unicode.Scalar) -> String? {
            pq_result_error_field(result, Int32(letter.value)).map { String(cString: $0) }
        }
        guard let state = field("C") else {
            let words = pq_result_error_message(result).map { String(cString: $0) } ?? ""
            return .broken(PostgresWords.line(words, without: secrets))
        }
        let words = [field("M"), field("D"), field("H")].compactMap(\.self).joined(separator: "; ")
        return .refused(sqlState: state.printable, message: PostgresWords.line(words, without: secrets))
    }
}

private let shortestMoment = Duration.milliseconds(1)
private let longestMoment = Duration.seconds(1)
