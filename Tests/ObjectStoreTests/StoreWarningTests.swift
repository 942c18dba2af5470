import Glibc
import Testing

@testable import ObjectStore

struct StoreWarningTests {
    @Test func `a warning reads as words`() {
        #expect(
            "\(StoreWarning.writesStopped(FileError(.write, code: ENOSPC)))"
                == "writes stopped: write failed, No space left on device")
        #expect(
            "\(StoreWarning.writesStopped(FileError(.createDirectory, code: EACCES)))"
                == "writes stopped: create directory failed, Permission denied")
        #expect("\(StoreWarning.writesResumed)" == "writes resumed")
    }
}
