import ControlPlane
import Text

/// Options for monitoring the gate.
enum MonitoringSection: OptionSection {
    static let title = "Monitoring"

    static let options: [GateOption] = [
        GateOption(
            "metrics", .parsed("host:port", WebAddress.init(argument:)), maySet: \.metrics,
            "Serve /healthz, /readyz and /metrics at this address, without a token."
        )
        .details(
            """
            Numbers are in Prometheus text format and contain no host, address or recording. Port 0 lets the system \
            choose; the port is the last line of --port-file.
            """
        )
        .standard("off").example("127.0.0.1:9804")
    ]
}
