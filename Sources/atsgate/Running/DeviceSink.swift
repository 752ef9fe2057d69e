import Onboarding
import Records
import Reporting

/// Tells what loads show of the devices that they come from.
struct DeviceSink: RecordSink {
    let name = "devices"
    private let memory: DeviceMemory

    init(_ memory: DeviceMemory) { self.memory = memory }

    func write(_ records: [LoadRecord]) { memory.note(records) }
    func close() {}
}
