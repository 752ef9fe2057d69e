import Evidence
import Text

/// Reads the fuzzer's input as a device's log, whole and in pieces whose size the first byte selects. Both must yield
/// the same loads, each of them as one line of JSON.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEvidence(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 1 else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: start + 1, count: count - 1)
    let whole = read(bytes, piece: bytes.count)
    let parts = read(bytes, piece: max(1, Int(start[0])))
    precondition(whole == parts, "pieces change the result")
    for task in whole {
        let line = task.json.text
        precondition(!line.utf8.contains { $0 < 0x20 }, "a line of JSON with a control character")
    }
    return 0
}

private func read(_ bytes: UnsafeRawBufferPointer, piece: Int) -> [EvidenceTask] {
    var reader = EvidenceReader(log: "fuzz")
    var tasks: [EvidenceTask] = []
    var start = 0
    while start < bytes.count {
        let end = min(start + piece, bytes.count)
        reader.read(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) { tasks.append($0) }
        start = end
    }
    reader.finish { tasks.append($0) }
    return tasks
}
