import Settings

/// The commands.
struct Program {
    /// The process environment.
    let environment: [String: String]

    /// Carries out a command line.
    ///
    /// - Returns: the exit code.
    func run(_ arguments: [String]) -> Int32 {
        do throws(UsageError) {
            return perform(try Invocation(arguments))
        } catch {
            return fail(error.description, .usage)
        }
    }

    private func perform(_ invocation: Invocation) -> Int32 {
        switch invocation {
        case .serve(let request): withConfiguration(request) { serve($0) }
        case .checkConfig(let request, let notation):
            withConfiguration(request) { Terminal.write($0.rendered(notation)) }
        case .version: Terminal.write("imagestore \(Version.current)\n")
        case .help(let command): Terminal.write(command?.help ?? Command.overview)
        case .document(let file): Terminal.write(file.content)
        }
    }

    private func withConfiguration(_ request: ConfigurationRequest, _ body: (Configuration) -> Int32) -> Int32 {
        do throws(ConfigurationError) {
            return body(try request.load(environment: environment))
        } catch {
            // Places begin their lines, so that an editor can jump to them.
            let count = error.problems.count
            return fail("the configuration has \(count) problem\(count == 1 ? "" : "s")\n\(error)", .usage)
        }
    }

    private func fail(_ text: String, _ code: ExitCode) -> Int32 {
        Terminal.complain(text)
        return code.rawValue
    }
}

/// What the program tells the shell.
enum ExitCode: Int32 {
    /// It went well.
    case done = 0
    /// It could not be done, or not to the end.
    case failed = 1
    /// The command line or the configuration is wrong.
    case usage = 2
}
