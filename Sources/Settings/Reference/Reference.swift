/// Documentation made from the option table.
public enum Reference {
    /// `config/imagestore.json5`: every key once, with its default and meaning.
    public static var sampleFile: String {
        var tree = SettingTree()
        for section in OptionTable.sections {
            tree.nodes.append(.heading(section.title))
            tree.append(section.options, value: { $0.documentedDefault }, comment: comment)
        }
        return """
            // Every key, with its default. Made from the option table by `make docs`; see Docs/CONFIGURATION.md.
            // (R): a change needs a restart. (not yet): this version refuses any value but the default.

            """ + tree.rendered(.json5)
    }

    /// `Docs/CONFIGURATION.md`.
    public static var page: String {
        introduction + OptionTable.sections.map(section).joined(separator: "\n")
    }

    /// The keys as `imagestore serve --help` lists them.
    static var helpText: String {
        let options = OptionTable.options.filter { $0.availability == .inForce }
        let names = options.map { $0.name + "=" + $0.documentedDefault.rendered() }
        let width = 44
        return zip(options, names).map { option, name in
            let gap = name.count < width ? String(repeating: " ", count: width - name.count) : "\n" + spaces(width + 2)
            return "  \(name)\(gap)\(option.meaning)\(option.needsRestart ? " (R)" : "")\n"
        }.joined()
    }

    private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }

    private static func comment(_ option: Option) -> String {
        option.meaning + (option.needsRestart ? " (R)" : "") + (option.availability == .notYet ? " (not yet)" : "")
    }

    private static func section(_ section: OptionTable.Section) -> String {
        let head = """
            ## \(section.title)

            | key | value | default | meaning |
            | --- | --- | --- | --- |

            """
        return head + section.options.map(row).joined()
    }

    private static func row(_ option: Option) -> String {
        var value = option.type + (option.bounds.map { ", \($0)" } ?? "")
        if let unit = option.unit, option.type != "size" { value += " \(unit)" }
        let cells = [
            "`\(option.name)`" + (option.needsRestart ? " (R)" : ""), value,
            "`\(option.documentedDefault.rendered())`",
            (option.availability == .notYet ? "*Not yet.* " : "") + option.meaning,
        ]
        return "| " + cells.map(escaped).joined(separator: " | ") + " |\n"
    }

    /// A bar would end the cell.
    private static func escaped(_ text: String) -> String {
        text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }

    private static let introduction = """
        # Configuration

        <!-- Made from the option table (Sources/Settings/Options) by `make docs`. Edit the table, not this page. -->

        ImageStore reads one JSON5 file: the one that `--config` names, else `./config/imagestore.json5`, else
        `/etc/imagestore/imagestore.json5`; without any, the defaults hold. `config/imagestore.json5` in the repository
        holds every key with its default.

        Each source overrides the ones before it:

        1. the defaults below,
        2. the file: `freshness: {defaultTTL: "1h"}`,
        3. the environment: `IMAGESTORE_FRESHNESS__DEFAULT_TTL=1h`. `IMAGESTORE_`, then the key in capitals, words joined
           by `_`, a nested key by `__`. Lists are given by comma, lists of objects as JSON5. A variable that begins with
           `IMAGESTORE_` and names no key is an error.
        4. the command line: `--set freshness.defaultTTL=1h`, as often as needed, values as in the environment.

        Values:

        - **sizes** are bytes, or a text with a unit: `"200MB"` is 200 × 10^6, `"200MiB"` is 200 × 2^20 (likewise `KB`, `GB`,
          `TB`, `KiB`, `GiB`, `TiB`).
        - **durations** are a text with a unit: `"500ms"`, `"30s"`, `"5m"`, `"1h"`, `"7d"`.
        - **addresses** are `"host:port"` or `"[v6]:port"` with an IP address or `localhost`, or `"unix:/path"`; several stand
          in a list.
        - **hosts** are exact, or `"*.example.com"` for all hosts below one, but not that one itself; in ASCII, so
          `"xn--bcher-kva.example"` for bücher.example.
        - `null` is the option's own default, where the table gives `null` as default.

        `imagestore check-config` prints the configuration in force, secrets left out, and exits with 2 when it is bad. Unknown
        and duplicate keys, wrong types, values out of bounds, certificates that are not there and contradictions are errors;
        all are reported at once, each with file, line, column and key:

        ```
        \(sampleProblem)
        ```

        A listener beyond loopback would be an open proxy. It needs `allowedHosts` or, where anyone may fetch anything,
        `openProxy: true`.

        (R) marks options whose change needs a restart. *Not yet* marks options that this version does not act on: it accepts
        their default and refuses any other value, so that nothing is silently ignored.


        """

    /// A real message, so that the page cannot drift from the program.
    private static var sampleProblem: String {
        let file = ConfigurationFile(
            name: "imagestore.json5",
            bytes: Array("{\n    cacheLimit: \"200 MB\",\n    maxDownloadsize: \"5MB\",\n}\n".utf8))
        do throws(ConfigurationError) {
            _ = try Configuration.load(ConfigurationSources(file: file))
            return ""
        } catch {
            return error.description
        }
    }
}
