import Testing

@testable import Settings

struct InvocationTests {
    @Test func `a command line becomes an invocation`() throws {
        var request = ConfigurationRequest()
        #expect(try Invocation(["serve"]) == .serve(request))
        #expect(try Invocation(["check-config", "--json"]) == .checkConfig(request, .json))
        request.file = "a.json5"
        request.overrides = ["loops=1", "cacheLimit=0"]
        #expect(
            try Invocation(["serve", "--config", "a.json5", "--set", "loops=1", "--set=cacheLimit=0"])
                == .serve(request))
        #expect(
            try Invocation(["check-config", "--config=a.json5", "--set", "loops=1", "--set", "cacheLimit=0"])
                == .checkConfig(request, .json5))
        #expect(try Invocation(["--version"]) == .version)
        #expect(try Invocation(["--help"]) == .help(nil))
        #expect(try Invocation(["-h"]) == .help(nil))
        #expect(try Invocation(["serve", "--set", "x", "--help"]) == .help(.serve))
    }

    @Test(arguments: [
        ([], "a command is missing\nSee `imagestore --help`."),
        (["srve"], "unknown command `srve`; did you mean `serve`?\nSee `imagestore --help`."),
        (["check"], "unknown command `check`; did you mean `check-config`?\nSee `imagestore --help`."),
        (["--verison"], "unknown option `--verison`; did you mean `--version`?\nSee `imagestore --help`."),
        (["document", "nothing"], "unknown command `document`\nSee `imagestore --help`."),
        (["serve", "--cofnig"], "unknown option `--cofnig`; did you mean `--config`?\nSee `imagestore serve --help`."),
        (["serve", "--json"], "unknown option `--json`\nSee `imagestore serve --help`."),
        (["serve", "x"], "unexpected argument `x`\nSee `imagestore serve --help`."),
        (["serve", "--config"], "--config needs a value: --config FILE\nSee `imagestore serve --help`."),
        (["serve", "--config="], "--config needs a value: --config FILE\nSee `imagestore serve --help`."),
        (["serve", "--set"], "--set needs a value: --set KEY=VALUE\nSee `imagestore serve --help`."),
        (["serve", "--config", "a", "--config", "b"], "--config is given twice\nSee `imagestore serve --help`."),
        (["check-config", "--json=1"], "--json takes no value\nSee `imagestore check-config --help`."),
    ])
    func `a bad command line says what is wrong and where to read on`(arguments: [String], text: String) {
        let error = #expect(throws: UsageError.self) { try Invocation(arguments) }
        #expect(error?.description == text)
    }

    @Test func `help lists the commands, and each command its flags and keys`() {
        for command in Command.allCases {
            #expect(Command.overview.contains("  \(command.rawValue) "))
            for flag in command.flags { #expect(command.help.contains(flag.usage)) }
        }
        for option in OptionTable.options {
            #expect(Command.serve.help.contains("  \(option.name)=") == (option.availability == .inForce))
        }
    }

    @Test func `a named file that is not there is a problem`() throws {
        let error = #expect(throws: ConfigurationError.self) { try ConfigurationFile.find("/no/such/file.json5") }
        #expect(error?.description.hasPrefix("/no/such/file.json5: cannot read the configuration file") == true)
        #expect(throws: ConfigurationError.self) { try ConfigurationFile.find("/") }
        #expect(try ConfigurationFile.find(nil, candidates: ["/no/such/file.json5"]) == nil)
    }
}
