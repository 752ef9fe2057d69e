import Evidence
import Text

/// Reads what libFuzzer made up as a device's log, at once and in pieces of a size that the first byte chooses: both give
/// the same loads, and each of them is one line of JSON.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEvidence(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 1 else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: start + 1, count: count - 1)
    let whole = read(bytes, piece: bytes.count)
    let parts = read(bytes, piece: max(1, Int(start[0])))
    precondition(whole == parts, "pieces change what is read")
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
