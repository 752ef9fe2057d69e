extension DeclaredOptions {
    /// The defaults, changed by the configuration file, the environment and the command line.
    ///
    /// - Throws: ``CommandFailure`` with 64 for names that are no options and values that cannot be right, 65 for a
    ///   configuration file that cannot be read.
    func choices() throws(CommandFailure) -> GateChoices {
        let variables = try EnvironmentVariables(of: Catalogue.list.options).values
        let choices = try GateChoices(applying: [variables, given])
        guard let path = choices.config else { return choices }
        // A gate's file serves every command: each takes what concerns it.
        let file = try ConfigurationFile(path: path, options: GateCatalogue.list.options)
        return try GateChoices(applying: [file.values, variables, given])
    }
}
