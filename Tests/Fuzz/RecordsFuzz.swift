import ATSPolicy
import Foundation
import Records

/// Reads the fuzzer's input as a store's row of a load, or of a handshake: it is accepted or an error, and never traps.
/// The low bit of the first byte selects one. The rest is a form and an entry with a 0 between them, or JSON.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecords(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    if start[0] & 1 == 0 {
        let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        readLoad(form: Array(parts[0]), entry: parts.count > 1 ? Array(parts[1]) : [])
    } else {
        readHandshake(Data(bytes))
    }
    return 0
}

private func readLoad(form text: [UInt8], entry: [UInt8]) {
    let form = RecordForm(text: text)
    entry.withUnsafeBufferPointer { entry in
        let values = EntryValues(entry)
        for place in 0..<min(values.count + 1, 64) {
            precondition(values[place].elementsEqual(EntryValues.value(place, of: entry)), "two readers differ")
        }
        var json: [UInt8] = []
        let isWhole = form.fill(from: entry, to: &json)
        precondition(isWhole == (form.blankCount > 0 && values.count == form.blankCount), "values do not match blanks")
        guard isWhole, let load = try? JSONDecoder().decode(DecodedObject<RecordFields>.self, from: Data(json)) else {
            return
        }
        // Judges it again, like replay.
        if let evidence = LoadEvidence(load, handshake: nil, rule: nil, milliseconds: 0) { judge(evidence) }
    }
}

private func judge(_ evidence: LoadEvidence) {
    for profile in [OSProfile.iOS18_4, .iOS26] {
        _ = LoadReplay(judge: Judge(declaration: .secureDefaults, profile: profile)).replay(evidence)
    }
}

private func readHandshake(_ json: Data) {
    guard let read = try? JSONDecoder().decode(RecordedHandshake.self, from: json) else { return }
    let target = LoadTarget(scheme: .https, host: "good.lab.test", port: 443)
    judge(
        LoadEvidence(
            target: target, loader: .app, handshake: read, verdict: .allowed, rule: nil, unixSeconds: 1_790_000_000))
    let again = try? JSONDecoder().decode(RecordedHandshake.self, from: Data(read.text.utf8))
    precondition(again == read, "the written handshake differs from the one that was read")
}
