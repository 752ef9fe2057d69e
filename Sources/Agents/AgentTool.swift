public import Text

/// A tool as a client sees it. All tools only read.
public struct AgentTool: Sendable {
    public let name: String
    public let title: String
    public let description: String
    /// A JSON Schema of an object.
    public let inputSchema: JSONValue
    /// True if it connects to servers that the client names.
    public let connects: Bool

    public init(name: String, title: String, description: String, inputSchema: JSONValue, connects: Bool) {
        self.name = name
        self.title = title
        self.description = description
        self.inputSchema = inputSchema
        self.connects = connects
    }

    var json: JSONValue {
        .object([
            ("name", .string(name)), ("title", .string(title)), ("description", .string(description)),
            ("inputSchema", inputSchema), ("outputSchema", ToolAnswer.schema),
            (
                "annotations",
                .object([
                    ("title", .string(title)), ("readOnlyHint", .flag(true)), ("destructiveHint", .flag(false)),
                    ("idempotentHint", .flag(true)), ("openWorldHint", .flag(connects)),
                ])
            ),
        ])
    }
}

/// The answer of a tool.
public struct ToolAnswer: Sendable {
    /// The exit code of the command; nil if it was not run, or did not end by itself.
    public var exitCode: Int32?
    /// The meaning of the code, or the reason why the command was not run.
    public var meaning: String
    /// The output: JSON texts.
    public var output: [RPCValue]
    /// The command's lines for people.
    public var messages: [String]
    /// True if the tool failed, so that its output does not count.
    public var isError: Bool

    public init(
        exitCode: Int32?, meaning: String, output: [RPCValue] = [], messages: [String] = [], isError: Bool = false
    ) {
        self.exitCode = exitCode
        self.meaning = meaning
        self.output = output
        self.messages = messages
        self.isError = isError
    }

    var json: JSONValue {
        .object([
            ("exitCode", .number(exitCode.map { Int($0) })), ("meaning", .string(meaning)),
            ("output", .array(output.map(\.json))), ("messages", .texts(messages)),
        ])
    }

    static let schema = JSONValue.object([
        ("type", .string("object")),
        (
            "properties",
            .object([
                (
                    "exitCode",
                    describedType(["integer", "null"], "exit code of the command, see atsgate://docs/exit-codes")
                ),
                ("meaning", describedType(["string"], "the meaning of the exit code")),
                (
                    "output",
                    describedType(["array"], "the command's JSON output, one element for each line or document")
                ),
                ("messages", describedType(["array"], "lines for people: counts, warnings, errors")),
            ])
        ),
        ("required", .texts(["exitCode", "meaning", "output", "messages"])),
    ])

    private static func describedType(_ types: [String], _ description: String) -> JSONValue {
        .object([
            ("type", types.count == 1 ? .string(types[0]) : .texts(types)), ("description", .string(description)),
        ])
    }
}

/// A page that clients can read.
public struct AgentPage: Sendable {
    /// The path below `docs/`, such as `law/tls`.
    public let name: String
    public let title: String
    /// Bytes of its text.
    public let size: Int

    public init(name: String, title: String, size: Int) {
        self.name = name
        self.title = title
        self.size = size
    }

    var json: JSONValue {
        .object([
            ("uri", .string(Self.prefix + name)), ("name", .string(name)), ("title", .string(title)),
            ("mimeType", .string(Self.type)), ("size", .number(size)),
        ])
    }

    static let prefix = "atsgate://docs/"
    static let type = "text/markdown"
}
