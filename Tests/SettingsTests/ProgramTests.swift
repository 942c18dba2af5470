import Foundation
import TestSupport
import Testing

@testable import Settings

/// The program itself, as a shell sees it.
struct ProgramTests {
    private struct Outcome {
        let code: Int32
        let output: String
        let errors: String
    }

    /// The program is built beside the tests.
    private static let program: URL? = {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let arguments = URL(filePath: CommandLine.arguments.first ?? "").deletingLastPathComponent()
        return [tests, arguments].map { $0.appending(path: "imagestore") }.first {
            FileManager.default.isExecutableFile(atPath: $0.path)
        }
    }()

    /// What a sanitizer goes by holds for the program, too; its reports would fill a pipe that nobody reads yet.
    private static let sanitizerOptions = ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }

    private func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Outcome {
        let process = Process()
        let program: URL = try #require(Self.program, "build the product imagestore before the tests")
        process.executableURL = program
        process.arguments = arguments
        process.environment = environment.merging(Self.sanitizerOptions) { own, _ in own }
        process.currentDirectoryURL = URL(filePath: "/")
        let pipes = (output: Pipe(), errors: Pipe())
        process.standardOutput = pipes.output
        process.standardError = pipes.errors
        try process.run()
        let output = try pipes.output.fileHandleForReading.readToEnd() ?? Data()
        let errors = try pipes.errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Outcome(
            code: process.terminationStatus, output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors, as: UTF8.self))
    }

    @Test func `a good configuration is printed, with exit code 0`() throws {
        let outcome = try run("check-config", "--set", "loops=3", environment: ["IMAGESTORE_MAX_REDIRECTS": "7"])
        #expect(outcome.code == 0)
        #expect(outcome.errors.isEmpty)
        let printed = try load(outcome.output)
        #expect(printed.loops == 3)
        #expect(printed.maxRedirects == 7)
    }

    @Test func `a bad configuration is exit code 2 and one block, without colour in a pipe`() throws {
        for command in ["serve", "check-config"] {
            let outcome = try run(command, "--set", "loops=x")
            #expect(outcome.code == 2)
            #expect(outcome.output.isEmpty)
            #expect(
                outcome.errors == """
                    error: the configuration has 1 problem
                    --set: loops: wrong type
                        found:    "x"
                        expected: a whole number from 0 to 256

                    """)
        }
    }

    @Test func `certificates that are not there are exit code 2`() throws {
        for command in ["serve", "check-config"] {
            let outcome = try run(command, "--set", "caFile=/no/such.pem")
            #expect(outcome.code == 2)
            #expect(
                outcome.errors == """
                    error: the configuration has 1 problem
                    --set: caFile: bad value
                        found:    "/no/such.pem", which is not there
                        expected: a readable PEM file of certificates

                    """)
        }
    }

    @Test func `a socket path that is something else is exit code 1, and stays what it is`() throws {
        let directory = try TemporaryDirectory()
        try directory.write([1], to: "file")
        try directory.write([], to: "folder/x")
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/link", withDestinationPath: directory.path + "/gone")
        for name in ["file", "folder", "link"] {
            let outcome = try run(
                "serve", "--set", "listen=unix:\(directory.path)/\(name)", "--set", "adminListen=127.0.0.1:0",
                "--set", "diskCacheLimit=0")
            #expect(outcome.code == 1)
            #expect(
                outcome.errors == """
                    error: unix:\(directory.path)/\(name) is the name of something that is no socket: remove it, or \
                    change listen or adminListen

                    """)
        }
        #expect(directory.plainFiles() == ["file", "folder/x", "link"])
    }

    @Test func `a bad command line is exit code 2`() throws {
        let outcome = try run("srve")
        #expect(outcome.code == 2)
        #expect(outcome.errors == "error: unknown command `srve`; did you mean `serve`?\nSee `imagestore --help`.\n")
    }

    @Test func `version and help are exit code 0`() throws {
        #expect(try run("--version").output == "imagestore \(Version.current)\n")
        let help = try run("--help")
        #expect(help.code == 0)
        #expect(help.output == Command.overview)
    }

    @Test func `output that cannot be written is exit code 1`() throws {
        let process = Process()
        let program: URL = try #require(Self.program)
        let full: FileHandle = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        process.executableURL = program
        process.arguments = ["--version"]
        process.standardOutput = full
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
    }
}
