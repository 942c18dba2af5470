import ServiceHarness
import TestSupport
import Testing

@Suite(.blocking) struct `The lag of a loop` {
    @Test func `shows each pause, not one in several`() throws {
        // Given
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService { $0.loops = 1 }
        _ = try service.get("/a.png", of: origin)
        // Both figures of one page: making a page is itself a turn that may be long enough to be counted.
        func pausesOver(_ seconds: String) throws -> Double {
            let page = Metrics(try service.admin("/metrics").text)
            return page.value("imagestore_loop_lag_seconds_count")
                - page.value("imagestore_loop_lag_seconds_bucket", ["le": seconds])
        }
        let before = try pausesOver("0.05")
        // When
        for _ in 0..<5 {
            try service.whileLoopStands(of: origin.url("/a.png")) { pause(.milliseconds(60)) }
            // The answer to a socket ends the turn; else the next pause could still belong to it.
            _ = try service.get("/a.png", of: origin)
        }
        // Then
        #expect(try eventually { try pausesOver("0.05") - before >= 5 })
    }
}
