import Onboarding
import Records
import Reporting

/// Passes loads to the memory of the devices that sent them.
struct DeviceSink: RecordSink {
    let name = "devices"
    private let memory: DeviceMemory

    init(_ memory: DeviceMemory) { self.memory = memory }

    func write(_ records: [LoadRecord]) { memory.note(records) }
    func close() {}
}
