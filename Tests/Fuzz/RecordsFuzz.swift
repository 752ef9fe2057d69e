import ATSPolicy
import Foundation
import Records

/// Reads the fuzzer's input as a line of an exchanged recording, or as a handshake: it is accepted or an error, and
/// never traps. The low bit of the first byte selects one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecords(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let json = Data(UnsafeBufferPointer(start: start + 1, count: count - 1))
    if start[0] & 1 == 0 { readRecord(json) } else { readHandshake(json) }
    return 0
}

private func readRecord(_ json: Data) {
    guard let record = try? JSONDecoder().decode(RecordPiece.self, from: json).record else { return }
    judge(record)
    let text = RecordJSON.text(record)
    let again = try? JSONDecoder().decode(RecordPiece.self, from: Data(text.utf8)).record
    precondition(again.map { RecordJSON.text($0) } == text, "the written record differs from the one that was read")
}

private func judge(_ record: LoadRecord) {
    for profile in [OSProfile.iOS18_4, .iOS26] {
        _ = LoadReplay(judge: Judge(declaration: .secureDefaults, profile: profile)).replay(record)
    }
}

private func readHandshake(_ json: Data) {
    guard let read = try? JSONDecoder().decode(RecordedHandshake.self, from: json) else { return }
    var record = LoadRecord.blank
    record.load.target = LoadTarget(scheme: .https, host: "good.lab.test", port: 443)
    record.time = 1_790_000_000_000
    record.restore(read)
    judge(record)
    let again = try? JSONDecoder().decode(RecordedHandshake.self, from: Data(read.text.utf8))
    precondition(again == read, "the written handshake differs from the one that was read")
}
