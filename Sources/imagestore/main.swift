import FoundationEssentials
import Glibc
import Settings

ProcessSetup.prepare()
exit(Program(environment: ProcessInfo.processInfo.environment).run(Array(CommandLine.arguments.dropFirst())))
