extension DeclaredOptions {
    /// The defaults, changed by the configuration file, the environment and the command line.
    ///
    /// - Throws: ``CommandFailure`` with 64 for unknown names and invalid values, 65 for a configuration file that
    ///   cannot be read.
    func choices() throws(CommandFailure) -> GateChoices {
        let variables = try EnvironmentVariables(of: Catalogue.list.options).values
        let choices = try GateChoices(applying: [variables, given])
        guard let path = choices.config else { return choices }
        // All commands share a gate's file; each uses the options that it has.
        let file = try ConfigurationFile(path: path, options: GateCatalogue.list.options)
        return try GateChoices(applying: [file.values, variables, given])
    }
}
