import ATSPolicy
package import Records
package import Seeded

extension SeededGenerator {
    /// A record with random values in its fields.
    package mutating func record() -> LoadRecord {
        var record = LoadRecord(
            time: number(0...253_402_300_799_999), recording: text().replacing("\0", with: ""), client: client(),
            load: load(), policy: policy(),
            verdict: one(of: Verdict.allCases))
        record.id = "01KGH00000000000000000000\(number(0...9))"
        record.refusal = maybe { $0.one(of: Refusal.allCases) }
        record.shown = maybe { dice in
            ShownError(
                style: dice.one(of: ShownError.Style.allCases), code: dice.maybe { Int($0.number(-9999...9999)) },
                streamErrorCode: dice.maybe { Int($0.number(-9999...9999)) })
        }
        record.source = one(of: RecordSource.allCases)
        record.device = maybe { $0.device() }
        record.origin = maybe { $0.origin() }
        record.diagnosis = maybe { $0.diagnosis() }
        record.status = maybe { Int($0.number(100...599)) }
        record.bytesSent = number(0...Int64.max)
        record.bytesReceived = number(0...Int64.max)
        record.timing.connect = maybe { $0.span() }
        record.timing.handshake = maybe { $0.span() }
        record.timing.firstByte = maybe { $0.span() }
        record.timing.total = span()
        record.via = maybe { $0.text() }
        record.removed = texts()
        record.masked = texts()
        return record
    }

    /// Up to a year in microseconds, for which JSON numbers are exact.
    private mutating func span() -> Int64 { number(0...31_536_000_000_000) }

    private mutating func device() -> RecordedDevice {
        RecordedDevice(
            one(of: RecordedDevice.Outcome.allCases), how: maybe { $0.text() }, confidence: .observed,
            facts: DeviceFacts(
                code: maybe { Int($0.number(-9999...9999)) }, streamCode: maybe { Int($0.number(-9999...9999)) },
                ruling: maybe { DeviceRuling(strength: 1, tls: Int($0.number(0...99))) },
                tls: maybe { DeviceTLS(version: $0.text(), cipher: $0.maybe { $0.text() }) }),
            place: maybe { LogPosition(log: $0.text(), line: Int($0.number(1...99)), task: $0.maybe { $0.text() }) },
            isRedacted: number(0...1) == 1, proxied: maybe { $0.text() }, lines: texts())
    }

    private mutating func client() -> RecordedClient {
        RecordedClient(
            address: text(), label: maybe { $0.text() }, userAgent: maybe { $0.text() },
            loader: one(of: Loader.allCases), assumed: maybe { $0.one(of: ClientProgram.allCases) }, os: text(),
            osEvidence: maybe { $0.text() }, osNotes: texts()
        ).entering(by: maybe { $0.one(of: LoadEntrance.allCases) }).showing(maybe { $0.hello() })
    }

    private mutating func hello() -> RecordedHello {
        var content = HelloContent(legacyVersion: 0x0303)
        content.add(0x1301, to: .suites)
        if hits(oneIn: 2) { content.add(0x0304, to: .versions) }
        var hello = RecordedHello(HelloReading(content), ja4: maybe { $0.text() })
        hello.reads = one(of: HelloReading.Kind.allCases)
        hello.certainty = confidence()
        hello.matches = maybe { $0.text() }
        hello.law = maybe { $0.one(of: HelloReading.Kind.allCases) }
        hello.lawMinimum = maybe { $0.one(of: TLSVersion.allCases) }
        hello.answer = maybe { $0.one(of: HelloAnswer.allCases) }
        return hello
    }

    private mutating func load() -> RecordedRequest {
        RecordedRequest(
            method: text(), path: "/" + text(),
            target: LoadTarget(
                scheme: one(of: [.http, .https]), host: text().replacing("/", with: ""), port: Int(number(1...65_535))),
            wireProtocol: one(of: [.http1, .http2, .websocket, .tunnel]), redirectedFrom: maybe { $0.text() })
    }

    private mutating func policy() -> RecordedPolicy {
        RecordedPolicy(
            source: maybe { $0.text() }, bundleID: maybe { $0.text() }, os: text(),
            basis: maybe {
                RulingBasis(
                    step: .exception, keyPath: $0.maybe { $0.text() }, entry: $0.maybe { $0.text() },
                    isBuiltIn: $0.hits(oneIn: 2))
            })
    }

    private mutating func origin() -> RecordedOrigin {
        let handshake = handshake()
        return RecordedOrigin(
            address: maybe { $0.text() }, facts: handshake.facts, failure: handshake.failure, offer: handshake.offer)
    }

    private mutating func diagnosis() -> RecordedDiagnosis {
        RecordedDiagnosis(
            findings: several {
                Finding(
                    rule: $0.one(of: RuleID.allCases), title: $0.text(), keyPath: $0.maybe { $0.text() },
                    expected: $0.text(), observed: $0.text(), confidence: $0.confidence(), source: $0.text())
            }, apple: maybe { $0.appleError() },
            remedy: maybe {
                Remedy(
                    server: $0.texts(),
                    exception: $0.maybe {
                        // In the order in which they are read back, by key.
                        ExceptionFix(
                            domain: $0.text(),
                            settings: [.init("A", .flag($0.hits(oneIn: 2))), .init("B", .text($0.text()))])
                    })
            })
    }

    private mutating func appleError() -> AppleError {
        AppleError(
            domain: text(), code: Int(number(-2000...0)), constant: text(), message: text(),
            stream: AppleError.Stream(
                domain: maybe { Int($0.number(0...9)) }, code: maybe { Int($0.number(-9999...0)) },
                constant: maybe { $0.text() }, detail: maybe { Int($0.number(-9999...0)) }), log: texts(),
            confidence: confidence())
    }

    private mutating func confidence() -> Confidence {
        one(of: [.documented, .source, .observed, .observedOnce, .inferred])
    }
}
