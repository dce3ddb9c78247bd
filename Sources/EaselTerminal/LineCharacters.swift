/// The characters that outlines are drawn with.
struct LineCharacters: Sendable {
    let rectangle: BoxCharacters
    let ellipse: BoxCharacters
    let note: BoxCharacters
    let horizontal: Character
    let vertical: Character
    let falling: Character
    let rising: Character
    /// Stands for a text shape without text.
    let emptyText: Character

    static let unicode = LineCharacters(
        rectangle: BoxCharacters("┌─┐│└┘"), ellipse: BoxCharacters("╭─╮│╰╯"), note: BoxCharacters("┌┄┐┆└┘"),
        horizontal: "─", vertical: "│", falling: "╲", rising: "╱", emptyText: "▯")

    static let ascii = LineCharacters(
        rectangle: BoxCharacters("+-+|++"), ellipse: BoxCharacters(".-.|''"), note: BoxCharacters("+~+:++"),
        horizontal: "-", vertical: "|", falling: "\\", rising: "/", emptyText: "_")

    /// The character for a line with this slope.
    func line(columns: Int, rows: Int) -> Character {
        if abs(rows) * 3 <= abs(columns) { return horizontal }
        if abs(columns) * 3 <= abs(rows) { return vertical }
        return (columns > 0) == (rows > 0) ? falling : rising
    }
}

/// The characters of a box's outline.
struct BoxCharacters: Sendable {
    let topLeft: Character
    let horizontal: Character
    let topRight: Character
    let vertical: Character
    let bottomLeft: Character
    let bottomRight: Character

    /// Six characters: top left corner, horizontal, top right, vertical, bottom left, bottom right.
    init(_ six: String) {
        let characters = Array(six)
        precondition(characters.count == 6, "an outline has six characters")
        (topLeft, horizontal, topRight) = (characters[0], characters[1], characters[2])
        (vertical, bottomLeft, bottomRight) = (characters[3], characters[4], characters[5])
    }
}

/// The rows of an ellipse that fills a box: of each the columns whose middle lies inside it.
struct EllipseRows: Sendable {
    private let centreColumn: Double
    private let centreRow: Double
    private let horizontalRadius: Double
    private let verticalRadius: Double

    init(_ box: CellBox) {
        horizontalRadius = Double(box.width) / 2
        verticalRadius = Double(box.height) / 2
        centreColumn = Double(box.column) + horizontalRadius
        centreRow = Double(box.row) + verticalRadius
    }

    /// The columns of a row; nil if it has none.
    func columns(_ row: Int) -> ClosedRange<Int>? {
        let y = (Double(row) + 0.5 - centreRow) / verticalRadius
        guard y * y <= 1 else { return nil }
        let half = horizontalRadius * (1 - y * y).squareRoot()
        let first = Int((centreColumn - half - 0.5).rounded(.up))
        let last = Int((centreColumn + half - 0.5).rounded(.down))
        return first <= last ? first...last : nil
    }
}
