import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol
public import EaselSupport

/// `easel show CANVAS`: prints a canvas once, as a picture or as JSON.
public enum ShowCommand {
    /// What may be written after `easel show`.
    public static let syntax = CommandSyntax(
        name: "show", summary: "Prints a canvas as it is now or was, as a picture of characters or as JSON.",
        positionals: [CommandSyntax.Positional("canvas", help: "the canvas's name")],
        flags: CanvasTarget.flags + [
            CommandSyntax.Flag(
                "at", value: "VERSION", help: "as it was: a revision's number, or the name of a version"),
            CommandSyntax.Flag(switch: "json", help: "print revision, digest and every shape as JSON"),
            CommandSyntax.Flag(switch: "ascii", help: "draw with ASCII characters only"),
            CommandSyntax.Flag("width", value: "N", help: "most columns of the picture (200)"),
            CommandSyntax.Flag("height", value: "N", help: "most rows of the picture (100)"),
        ])

    /// Prints the canvas. Returns the exit code: 0, or 1 if it could not be had or not be printed, with the reason on standard
    /// error.
    ///
    /// - Throws: `ArgumentError` for an argument that is not what it must be.
    public static func run(_ arguments: Arguments) throws(ArgumentError) -> Int32 {
        let target = try CanvasTarget(arguments, hasName: false)
        var point: StillPoint?
        if let text = arguments.text("at") {
            point = StillPoint(argument: text)
            guard point != nil else { throw arguments.badValue("at", expected: StillPoint.expected) }
        }
        let isJSON = try arguments.isOn("json")
        let isASCII = try arguments.isOn("ascii")
        let width = try arguments.integer("width", in: 1...10_000, default: 200)
        let height = try arguments.integer("height", in: 1...10_000, default: 100)
        let canvas: Canvas
        do throws(VisitFailure) {
            let visit = try CanvasVisit(target, lookingAt: point)
            defer { visit.stop() }
            canvas = visit.store.still?.canvas ?? visit.store.canvas
        } catch {
            return error.report()
        }
        do throws(Output.Failure) {
            if isJSON {
                try Output.standard.line(CanvasDescription(canvas, name: target.canvas).json())
            } else {
                let remark = remark(on: canvas, name: target.canvas, width: width, height: height)
                let text = picture(of: canvas, width: width, height: height, isASCII: isASCII)
                if !text.isEmpty { try Output.standard.line(text) }
                if let remark { Log.writeToStandardError("easel: \(remark)") }
            }
        } catch {
            return EditCommand.fail(error.description)
        }
        return 0
    }

    /// What a picture does not show by itself: that there is nothing to see, or that it is a part. Nil if it shows all.
    static func remark(on canvas: Canvas, name: CanvasID, width: Int, height: Int) -> String? {
        guard let box = Scene(canvas).box else { return "the canvas \(name) has no visible shapes" }
        guard box.width > width || box.height > height else { return nil }
        return "the picture is cut to \(min(width, box.width)) of \(box.width) columns and "
            + "\(min(height, box.height)) of \(box.height) rows; --width and --height take more"
    }

    /// The canvas as text, fitted to what is on it and cut to a size.
    static func picture(of canvas: Canvas, width: Int, height: Int, isASCII: Bool) -> String {
        guard let box = Scene(canvas).box else { return "" }
        var picture = Picture(
            viewport: Viewport(
                origin: CellPoint(column: box.column, row: box.row), columns: min(width, box.width),
                rows: min(height, box.height)),
            isASCII: isASCII)
        picture.draw(canvas)
        return picture.grid.text
    }
}
