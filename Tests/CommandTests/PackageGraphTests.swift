import Foundation
import Testing

@Suite("The package")
struct PackageGraphTests {
    @Test("SwiftNIO is not in the resolved graph")
    func noSwiftNIO() throws {
        let resolved = try Data(contentsOf: Repository.file("Package.resolved"))
        let pins = try JSONDecoder().decode(Resolved.self, from: resolved).pins
        #expect(pins.count >= 3)
        #expect(pins.filter { $0.identity.contains("nio") } == [])
    }

    /// The part of Package.resolved that lists the packages.
    private struct Resolved: Decodable {
        struct Pin: Decodable, Equatable {
            let identity: String
        }

        let pins: [Pin]
    }
}
