import Fleet
import Testing

@Suite struct SchemaStepTests {
    @Test func stepsAreNumberedInTheirOrder() {
        let numbers = SchemaStep.all.map { Int($0.name.prefix { $0 != "-" }) }
        #expect(numbers == Array(1...SchemaStep.all.count))
    }

    @Test("a step opens no transaction, and qualifies all that it creates with the schema", arguments: SchemaStep.all)
    func stepIsOneTransaction(step: SchemaStep) {
        let words = step.sql.split(separator: "\n").map { $0.prefix { $0 != "-" } }
        #expect(!words.contains { $0.hasPrefix("COMMIT") || $0.hasPrefix("BEGIN;") })
        let made = words.filter { line in
            (line.hasPrefix("CREATE ") && !line.contains(" INDEX ") && !line.contains(" POLICY "))
                || line.hasPrefix("ALTER TABLE ")
        }
        #expect(!made.isEmpty || step.name == "4-rights")
        #expect(made.allSatisfy { $0.contains(" atsgate.") })
    }
}
