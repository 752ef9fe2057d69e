import ArgumentParser
import Dispatch
import Foundation
import NetLoop

/// An origin whose certificate chains are long and never the same, and clients that load from it through a gate.
struct HostileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hostile", abstract: "Loads from a built-in origin with a long chain that differs each time.",
        discussion: "Each load ends with its handshake. Prints one line when all have ended.")

    @Option(help: ArgumentHelp("The gate.", valueName: "host:port"))
    var proxy: String

    @Option(help: "Loads.")
    var loads = 1_000

    @Option(help: "Loads at a time.")
    var connections = 6

    @Option(help: "Names of the leaf: three bytes each.")
    var names = 31_000

    func validate() throws {
        guard loads > 0, connections > 0, names > 0 else { throw ValidationError("numbers must be above 0") }
    }

    func run() throws {
        let chains = try HostileChains(names: names)
        let listener = try Listener.open(host: "127.0.0.1", port: 0)
        let home = try EventLoop(index: 0)
        let seat = LoopLocal<HostileCrowd>(home)
        let ended = DispatchSemaphore(value: 0)
        listener.start(loops: [home]) { descriptor, peer, loop in
            HostileConnection.open(
                ByteStream(descriptor: descriptor, handler: nil, peerAddress: peer), chains, on: loop)
        }
        let began = EventLoop.monotonicNanoseconds()
        let (gate, target, loads, connections) = (try Endpoint(argument: proxy), listener.port, loads, connections)
        home.submit { loop in
            let crowd = HostileCrowd(of: gate, to: "127.0.0.1:\(target)", loads: loads) { ended.signal() }
            seat.place(crowd, on: loop)
            crowd.start(connections, on: loop)
        }
        ended.wait()
        let seconds = Double(EventLoop.monotonicNanoseconds() - began) / 1e9
        listener.stop()
        print(#"{"loads":\#(loads),"seconds":\#(seconds),"chainBytes":\#(chains.bytes)}"#)
    }
}
