import ATSPolicy
import Records
import Text

/// HAR 1.2, as the network panels of browsers read it: an entry for each load, streamed. Source: "HTTP Archive (HAR)
/// format", W3C draft of 2012-08-14, by which custom names begin with an underscore.
///
/// A blocked or failed load has status 0 and `_error`, as browsers write a load without a response.
struct HARReport: LoadRows {
    private var isFirst = true

    func begin(_ context: ReportContext, to output: inout [UInt8]) {
        let creator = JSONValue.object([("name", .string("atsgate")), ("version", .string(context.toolVersion))])
        output.append(contentsOf: "{\"log\":{\"version\":\"1.2\",\"creator\":\(creator.text),\"entries\":[".utf8)
    }

    mutating func add(_ load: LoadRow, to output: inout [UInt8]) throws(StoreError) {
        let shared = try HARShared.of(load)
        let values = try load.values()
        output.append(contentsOf: isFirst ? "\n".utf8 : ",\n".utf8)
        isFirst = false
        HAREntry(shared: shared, values: values).write(to: &output)
    }

    func end(to output: inout [UInt8]) { output.append(contentsOf: "\n]}}\n".utf8) }
}
