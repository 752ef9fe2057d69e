import Audit

/// Reads the fuzzer's input as a file of an app: a binary, bytecode, a property list or text. For any input, the
/// result is a list of hosts, and every section of a binary lies inside of the file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAudit(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    for section in MachOFile(bytes)?.slices.flatMap(\.sections) ?? [] {
        precondition(
            section.range.lowerBound >= 0 && section.range.upperBound <= count, "a section outside of the file")
    }
    for name in [
        "Main", "Frameworks/App.framework/App", "main.jsbundle", "Data/global-metadata.dat", "app.plist", "app.js",
    ] {
        for found in FileHosts.found(in: bytes, path: name) {
            precondition(!found.host.isEmpty || found.isTemplate, "a host without a name")
        }
    }
    return 0
}
