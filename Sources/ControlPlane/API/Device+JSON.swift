import Onboarding
import Text

extension Device {
    var json: JSONValue {
        let lights = Light.allCases.map { light in
            JSONValue.object([
                ("light", .string(light.rawValue)), ("title", .string(light.title)),
                ("meaning", .string(light.meaning)), ("seen", .number(seen[light].map { Int($0) })),
            ])
        }
        return .object([
            ("address", .string(address)), ("label", .text(label)), ("system", .text(system)), ("os", .text(profile)),
            ("says", .text(reportedRelease)),
            ("lights", .array(lights)), ("fetched", .number(fetched.map { Int($0) })),
            ("build", .text(build?.rawValue)), ("onlyChecks", .flag(onlyChecks)),
            ("refused", .number(refused.map { Int($0) })), ("last", .number(Int(last))),
        ])
    }
}
