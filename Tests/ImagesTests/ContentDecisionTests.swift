import Images
import Testing

private func decide(_ declared: String?, _ sniffed: ImageFormat?) -> ContentDecision {
    ContentDecision.judge(declared: declared.map { Array($0.utf8) }, sniffed: sniffed)
}

private func image(_ format: ImageFormat, _ type: String? = nil) -> ContentDecision {
    .image(format, mediaType: Array((type ?? format.mediaType).utf8))
}

@Suite struct `What a body is taken for` {
    @Test(arguments: ImageFormat.allCases) func `a type that agrees with the bytes is kept`(_ format: ImageFormat) {
        #expect(decide(format.mediaType, format) == image(format))
        #expect(decide(format.mediaType.uppercased() + " ; q=\"a;\\\"b\"", format) == image(format))
        for type in format.otherMediaTypes { #expect(decide(type, format) == image(format, type)) }
    }

    @Test func `when both are images the bytes win`() {
        #expect(decide("image/png", .webp) == image(.webp))
        #expect(decide("image/jpg", .jpeg) == image(.jpeg))
        #expect(decide("image/x-unheard-of", .gif) == image(.gif))
        #expect(decide("image/png", .svg) == image(.svg))
        #expect(decide("image/apng", .jpeg) == image(.jpeg))
    }

    @Test(arguments: [
        nil, "application/octet-stream", "binary/octet-stream", "Application/Octet-Stream; x=1", "text/plain",
        "text/plain; charset=utf-8", "unknown/unknown",
    ])
    func `a missing or generic type is replaced by what the bytes are`(_ declared: String?) {
        #expect(decide(declared, .png) == image(.png))
        #expect(decide(declared, nil) == .notAnImage)
    }

    @Test(arguments: [
        "image/png, text/html; charset=UTF-8", "image/png,text/html; charset=UTF-8", "image/png text/html",
        "image/png%;text/html", "image/png; charset=UTF-8;text/html", "", " ", "image", "image/", "/png", "image//png",
        "image/png; a", "image/png; a=", "image/png; a=\"b", "image/png\u{7F}", "*/*x y", "image/png; =x",
    ])
    func `a malformed type is none and never passed on`(_ declared: String) {
        #expect(decide(declared, .png) == image(.png))
        #expect(decide(declared, nil) == .notAnImage)
    }

    @Test(arguments: ["image/png", "image/svg+xml", "image/x-unheard-of"])
    func `a declared image whose bytes are none is refused`(_ declared: String) {
        #expect(decide(declared, nil) == .notAnImage)
    }

    @Test(arguments: [
        ("text/html", "text/html"), ("Text/HTML; charset=UTF-8", "text/html"), ("application/json", "application/json"),
        ("video/mp4", "video/mp4"), ("text/html;", "text/html"), ("application/xhtml+xml", "application/xhtml+xml"),
    ])
    func `another type is left to the list of types, whatever the bytes`(_ declared: String, _ essence: String) {
        #expect(decide(declared, .png) == .otherType(Array(essence.utf8)))
        #expect(decide(declared, nil) == .otherType(Array(essence.utf8)))
    }
}
