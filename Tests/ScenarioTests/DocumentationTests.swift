import FoundationEssentials
import Testing

/// Pages that name tests name tests that are there.
@Suite struct `A page of the documentation` {
    private static let root = String(#filePath.dropLast("Tests/ScenarioTests/DocumentationTests.swift".count))

    /// A suite and one of its tests, as they stand in a page and in a source.
    private struct TestName: Hashable {
        let suite: String
        let name: String
    }

    @Test func `on caching names a test for each rule, and each of them exists`() throws {
        let known = try sources()
        let rows = try lines(of: "Docs/CACHING.md").filter { $0.hasPrefix("| §") }
        #expect(rows.count > 80)
        for row in rows {
            let cell = row.split(separator: "|").last ?? ""
            let named = cell.matches(of: /`([^`]+)` › `([^`]+)`/).map { TestName(suite: "\($0.1)", name: "\($0.2)") }
            #expect(!named.isEmpty, "no test: \(row)")
            let strange = named.filter { !known.contains($0) }.map { "\($0.suite) › \($0.name)" }
            #expect(strange.isEmpty, "no such test")
        }
    }

    /// Every test of the sources, with the suite that it stands in.
    private func sources() throws -> Set<TestName> {
        var found: Set<TestName> = []
        let files = try FileManager.default.subpathsOfDirectory(atPath: Self.root + "Tests")
        for file in files where file.hasSuffix("Tests.swift") {
            var suite = ""
            // Most lines are of no interest, and patterns are slow.
            for line in try lines(of: "Tests/" + file) where line.hasPrefix("@Suite") || line.utf8.contains(96) {
                if let match = line.firstMatch(of: /^@Suite.* struct (?:`([^`]+)`|(\w+))/) {
                    suite = String(match.1 ?? match.2 ?? "")
                } else if let match = line.firstMatch(of: /func `([^`]+)`\(/) {
                    found.insert(TestName(suite: suite, name: String(match.1)))
                }
            }
        }
        return found
    }

    private func lines(of path: String) throws -> [Substring] {
        let text = try String(contentsOfFile: Self.root + path, encoding: .utf8)
        return text.utf8.split(separator: 10).map { Substring($0) }
    }
}
