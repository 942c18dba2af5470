import EventLoops
import HTTPMessages
import Settings
import TestSupport
import Testing

@testable import ImageService

private let html = Array(
    "<!DOCTYPE html><html><body>no picture here, and more than any binary form takes</body></html>".utf8)

private func judge(
    _ declared: String?, _ body: [UInt8]?, encoding: String? = nil, isComplete: Bool = true,
    _ change: (inout Configuration) -> Void = { _ in }
) -> ContentJudge.Verdict {
    var fields = Fields()
    if let declared { fields.append(.contentType, declared) }
    if let encoding { fields.append(.contentEncoding, encoding) }
    return ContentJudge.judge(
        fields: fields, beginning: body.map { Chunk($0) }, isComplete: isComplete, snapshot: Fixtures.snapshot(change))
}

private func accepted(_ type: String) -> ContentJudge.Verdict { .accept(mediaType: Array(type.utf8)) }

/// Admits these types and no others.
private func only(_ types: String...) -> (inout Configuration) -> Void {
    { $0.contentTypes = types.compactMap { MediaRange($0) } }
}

@Suite struct ContentJudgeTests {
    @Test(arguments: Pictures.Format.allCases) func `a picture is served as what its bytes are`(format: Pictures.Format)
    {
        let bytes = Pictures.bytes(format)
        for declared in [
            format.mediaType, "image/png", nil, "application/octet-stream", "binary/octet-stream", "text/plain",
        ] {
            #expect(judge(declared, bytes) == accepted(format.mediaType), "\(declared ?? "nothing")")
        }
    }

    @Test(arguments: [
        "image/png, text/html; charset=UTF-8", "image/png,text/html; charset=UTF-8", "image/png text/html",
        "image/png%;text/html", "image/png; charset=UTF-8;text/html",
    ])
    func `a type that two readers read in two ways is never passed on`(declared: String) {
        #expect(judge(declared, Pictures.bytes(.png)) == accepted("image/png"))
        #expect(judge(declared, html) == .refuse(.notAnImage))
    }

    @Test(arguments: [nil, "image/png", "text/html", "application/octet-stream", "text/plain"])
    func `bytes that are no picture are refused whatever they claim`(declared: String?) {
        #expect(judge(declared, html) == .refuse(.notAnImage))
        #expect(judge(declared, html, isComplete: false) == .refuse(.notAnImage))
    }

    @Test func `a picture that claims to be a page is refused`() {
        #expect(judge("text/html", Pictures.bytes(.png)) == .refuse(.notAnImage))
    }

    @Test func `too little to tell is waited for, as long as more may come`() {
        let bytes = Pictures.bytes(.webp)
        #expect(judge("image/webp", nil, isComplete: false) == .needMore)
        #expect(judge("image/webp", [], isComplete: false) == .needMore)
        for count in 1..<8 {
            #expect(judge("image/webp", Array(bytes[..<count]), isComplete: false) == .needMore)
            #expect(judge("image/webp", Array(bytes[..<count])) == .refuse(.notAnImage))
        }
        #expect(judge("image/webp", bytes, isComplete: false) == accepted("image/webp"))
    }

    @Test func `nothing at all is no picture`() {
        #expect(judge("image/png", nil) == .refuse(.notAnImage))
        #expect(judge("image/png", []) == .refuse(.notAnImage))
    }

    @Test func `a picture of a type that is not admitted is refused with the type for the log`() {
        #expect(judge("image/gif", Pictures.bytes(.gif), only("image/png")) == .refuse(.typeNotAllowed("image/gif")))
        #expect(judge("image/png", Pictures.bytes(.gif), only("image/png")) == .refuse(.typeNotAllowed("image/gif")))
        #expect(judge("image/gif", Pictures.bytes(.png), only("image/png")) == accepted("image/png"))
        let closed = judge("image/svg+xml", Pictures.bytes(.svg)) { $0.allowSVG = false }
        #expect(closed == .refuse(.typeNotAllowed("image/svg+xml")))
        #expect(judge("image/png", Pictures.bytes(.png)) { $0.allowSVG = false } == accepted("image/png"))
    }

    @Test func `a relay looks at nothing`() {
        #expect(judge("text/html", html, only("*/*")) == .accept(mediaType: nil))
        #expect(judge(nil, nil, isComplete: false, only("*/*")) == .accept(mediaType: nil))
    }

    // MARK: Encoded bodies

    @Test func `an encoded body is taken by its clean declared type alone`() {
        #expect(judge("image/svg+xml", [0x1F, 0x8B], encoding: "gzip") == accepted("image/svg+xml"))
        #expect(judge("IMAGE/PNG; q=1", nil, encoding: "br", isComplete: false) == accepted("image/png"))
        for declared in [nil, "text/html", "application/octet-stream", "image/png, text/html", "image/png text/html"] {
            #expect(judge(declared, [0x1F, 0x8B], encoding: "gzip") == .refuse(.notAnImage))
        }
        let closed = judge("image/svg+xml", [0x1F, 0x8B], encoding: "gzip") { $0.allowSVG = false }
        #expect(closed == .refuse(.typeNotAllowed("image/svg+xml")))
    }

    @Test func `no encoding by name is none`() {
        #expect(judge("image/png", html, encoding: "identity") == .refuse(.notAnImage))
        #expect(judge("image/png", html, encoding: "") == .refuse(.notAnImage))
        #expect(judge(nil, Pictures.bytes(.png), encoding: "identity") == accepted("image/png"))
    }

    @Test func `RFC 9110 §8.4.1: codings are written in any case`() {
        #expect(judge("image/png", html, encoding: "Identity") == .refuse(.notAnImage))
    }
}
