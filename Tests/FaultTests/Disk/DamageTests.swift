import ServiceHarness
import Settings
import TestSupport
import Testing

/// Records that are not as they were written.
@Suite(.blocking) struct `A damaged record` {
    /// One record for each damage, all damaged while the service is down.
    @Test(arguments: ["flipped", "cut", "grown", "zeroed"])
    func `is a miss, deleted and counted, and never served`(damage: String) throws {
        let origin = try ScriptedOrigin()
        origin.otherwise {
            ScriptedOrigin.picture(for: $0.target, bytes: 3000).header("Cache-Control", "max-age=600")
        }
        let service = try TestService()
        let targets = (0..<120).map { "/\($0).png" }
        for target in targets { _ = try service.get(target, of: origin) }
        #expect(try service.waitForDiskObjects(120))
        service.stop()
        for (number, record) in service.recordFiles.sorted().enumerated() {
            var bytes = try #require(service.directory.read(record))
            let position = bytes.count * number / 120
            switch damage {
            case "flipped": bytes[position] ^= 1 << UInt8(number % 8)
            case "cut": bytes = Array(bytes.prefix(position))
            case "grown": bytes += Array(repeating: 7, count: number + 1)
            default: for index in position..<min(position + 512, bytes.count) { bytes[index] = 0 }
            }
            try service.directory.write(bytes, to: record)
        }

        try service.restart()

        for target in targets {
            let answer = try service.get(target, of: origin)
            #expect(answer.isImage(ScriptedOrigin.picture(for: target, bytes: 3000).body), "\(target): \(answer)")
        }
        if damage == "cut" { #expect(try service.metric("imagestore_disk_corrupt_total") > 0) }
        #expect(try service.waitForDiskObjects(120))
        #expect(service.recordFiles.count == 120)
    }

    @Test func `that vanished while the service runs is a miss`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService { $0.cacheLimit = 0 }
        _ = try service.get("/a.png", of: origin)
        #expect(try service.waitForDiskObjects(1))
        try service.directory.remove(try #require(service.recordFiles.first))
        #expect(try service.get("/a.png", of: origin).isImage(ScriptedOrigin.picture(for: "/a.png").body))
        #expect(try service.get("/a.png", of: origin).status == 200)
    }

    /// C193: nothing can be written; everything else goes on.
    @Test func `does not matter when the directory is gone`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()
        try service.directory.remove("v1")
        try service.directory.write(Array("in the way".utf8), to: "v1")
        for number in 0..<5 {
            #expect(try service.get("/\(number).png", of: origin).status == 200)
            #expect(try service.get("/\(number).png", of: origin).isHit)
        }
        #expect(try eventually { try service.metric("imagestore_disk_errors_total") > 0 })
    }
}
