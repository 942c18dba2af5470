/// A page in the Prometheus text format.
public struct Metrics: Sendable {
    private let lines: [Substring]

    /// Takes the page apart.
    public init(_ text: String) { lines = text.split(separator: "\n") }

    /// A metric of that name, summed over the series that have all these labels; 0 when there is none.
    public func value(_ name: String, _ labels: [String: String] = [:]) -> Double {
        lines.reduce(0) { sum, line in
            guard line.hasPrefix(name), let space = line.lastIndex(of: " ") else { return sum }
            let rest = line[..<space].dropFirst(name.count)
            guard rest.isEmpty || rest.hasPrefix("{") else { return sum }
            guard labels.allSatisfy({ rest.contains("\($0.key)=\"\($0.value)\"") }) else { return sum }
            return sum + (Double(line[line.index(after: space)...]) ?? 0)
        }
    }
}
