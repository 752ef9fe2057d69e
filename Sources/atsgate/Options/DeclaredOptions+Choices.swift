import Text

extension DeclaredOptions {
    /// The defaults, changed by the configuration file, the environment and the command line.
    ///
    /// - Throws: ``CommandFailure`` with 64 for unknown names and invalid values, 65 for a configuration file that
    ///   cannot be read.
    func choices() throws(CommandFailure) -> GateChoices {
        let variables = try EnvironmentVariables(of: Catalogue.list.options).values
        var choices = try GateChoices(applying: [variables, given])
        if let path = choices.config {
            // All commands share a gate's file; each uses the options that it has.
            let file = try ConfigurationFile(path: path, options: GateCatalogue.list.options)
            choices = try GateChoices(applying: [file.values, variables, given])
        }
        choices.given = given
        return choices
    }
}

extension GateChoices {
    /// A command that starts such a gate, without addresses, for the page to add some. Secret values are left out, and
    /// with masks also options that contain hosts.
    var proxyCommand: String {
        let names = Self.addressOptions.union(masks.isEmpty ? [] : Self.hostOptions)
        let options = given.filter { !names.contains($0.option.name) && !$0.option.form.isSecret }
        return (["atsgate proxy"] + options.map(\.words)).joined(separator: " ")
    }

    private static let addressOptions: Set = [
        "listen", "allow-lan", "web", "web-url-file", "metrics", "names", "port-file",
    ]
    private static let hostOptions: Set = [
        "mask", "connect-to", "passthrough", "app-pin", "app-overrides-trust", "client-cert", "no-parent",
    ]
}

extension GivenValue {
    /// The option as a shell reads it.
    fileprivate var words: String {
        if option.form.isFlag { return "--\(option.name)" }
        return "--\(option.name)\(option.form.bare == nil ? " " : "=")\(text.shellWord)"
    }
}
