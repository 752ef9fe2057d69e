public import Records

/// Turns records into a report, one by one, for a run without a store.
public struct ReportRenderer {
    private let context: ReportContext
    private var form: Form
    private var hasBegun = false

    private enum Form {
        case rows(any LoadRows)
        case whole(ReportModel, (ReportModel, ReportContext) -> String)
    }

    init(_ writer: ReportFormat.Writer, _ context: ReportContext) {
        self.context = context
        switch writer {
        case .rows(let rows): form = .rows(rows)
        case .whole(let write): form = .whole(ReportModel(), write)
        }
    }

    /// Adds a load and appends the output that is ready.
    public mutating func add(_ load: LoadRecord, to output: inout [UInt8]) {
        switch form {
        case .rows(var rows):
            begin(&rows, to: &output)
            rows.add(load, to: &output)
            form = .rows(rows)
        case .whole(var model, let write):
            form = .whole(ReportModel(), write)
            model.add(LoadGroup(load))
            model.agreement.add(load)
            form = .whole(model, write)
        }
    }

    /// Appends the rest. Call once, at the end.
    public mutating func finish(to output: inout [UInt8]) {
        switch form {
        case .rows(var rows):
            begin(&rows, to: &output)
            rows.end(to: &output)
            form = .rows(rows)
        case .whole(let model, let write): output.append(contentsOf: write(model, context.completed(for: model)).utf8)
        }
    }

    private mutating func begin(_ rows: inout any LoadRows, to output: inout [UInt8]) {
        if !hasBegun { rows.begin(context, to: &output) }
        hasBegun = true
    }
}

extension ReportFormat {
    /// A new renderer.
    public func renderer(_ context: ReportContext = ReportContext()) -> ReportRenderer {
        ReportRenderer(writer, context)
    }

    /// The whole report of `records`.
    public func render(_ records: some Sequence<LoadRecord>, _ context: ReportContext = ReportContext()) -> [UInt8] {
        var renderer = renderer(context)
        var output: [UInt8] = []
        for record in records { renderer.add(record, to: &output) }
        renderer.finish(to: &output)
        return output
    }
}
