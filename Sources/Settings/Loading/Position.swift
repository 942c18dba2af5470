/// A place in a text file, for people: both count from 1, columns in characters.
public struct Position: Sendable, Hashable {
    /// The line.
    public let line: Int
    /// The column.
    public let column: Int

    /// Makes a position.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

extension Position: CustomStringConvertible {
    /// `line:column`, as editors and compilers write it.
    public var description: String { "\(line):\(column)" }
}
