import Images
import Testing

private let drawing = "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"

/// Texts whose root is an svg element.
let drawings: [SniffCase] = [
    SniffCase(drawing, .svg),
    SniffCase("<svg>", .svg),
    SniffCase("<svg/>", .svg),
    SniffCase("<svg\n  width='1'>", .svg),
    SniffCase("<svg:svg xmlns:svg='http://www.w3.org/2000/svg'>", .svg),
    SniffCase(" \t\r\n\(drawing)", .svg),
    SniffCase("\u{FEFF}\(drawing)", .svg),
    SniffCase("\u{FEFF}<?xml version=\"1.0\"?>\n\(drawing)", .svg),
    SniffCase("<?xml version='1.0' encoding='UTF-8' standalone='no'?>\(drawing)", .svg),
    SniffCase("<?xml version='1.0'?><?xml-stylesheet href='a.css'?>\(drawing)", .svg),
    SniffCase("<!-- Generator: Adobe > Illustrator -->\(drawing)", .svg),
    SniffCase("<!-- <html> -->\n<!-- - -- ->-->\(drawing)", .svg),
    SniffCase(
        "<?xml version=\"1.0\"?><!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" "
            + "\"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">\(drawing)", .svg),
    SniffCase("<!DOCTYPE svg>\(drawing)", .svg),
    SniffCase("<!DOCTYPE\n svg [ <!ENTITY ns \"a > b ] c\"> <!-- don't > ] --> ] >\(drawing)", .svg),
    SniffCase("<!DOCTYPE svg[]>\(drawing)", .svg),
]

/// Texts that are not, though some hold a drawing.
let otherTexts: [SniffCase] = [
    SniffCase("<html><body>\(drawing)</body></html>", nil),
    SniffCase("<!DOCTYPE html>\(drawing)", nil),
    SniffCase("<!doctype html><title>x</title>", nil),
    SniffCase("<!DOCTYPE svgx>\(drawing)", nil),
    SniffCase("<!DOCTYPE html [<!ENTITY svg '1'>]>\(drawing)", nil),
    SniffCase("<!-- \(drawing) --><html>", nil),
    SniffCase("<!-- \(drawing)", nil),
    SniffCase("<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>\(drawing)", nil),
    SniffCase("<?php echo 1; ?><p>\(drawing)", nil),
    SniffCase("<script>alert(1)</script>\(drawing)", nil),
    SniffCase("<SVG>", nil),
    SniffCase("<svgx>", nil),
    SniffCase("<svg-a>", nil),
    SniffCase("<svg:rect>", nil),
    SniffCase("< svg>", nil),
    SniffCase("<svg", nil),
    SniffCase("x\(drawing)", nil),
    SniffCase("not an image", nil),
    SniffCase("   ", nil),
    SniffCase("<", nil),
    SniffCase("half a byte order mark", [0xEF, 0xBB] + Array(drawing.utf8), nil),
    SniffCase("utf-16", [0xFE, 0xFF] + drawing.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }, nil),
]

@Suite struct `Scalable Vector Graphics` {
    @Test(arguments: drawings) func `a document with an svg root is a drawing`(_ text: SniffCase) {
        #expect(ImageSniffer.sniff(text.bytes.span, isComplete: true) == .format(.svg))
    }

    @Test(arguments: drawings) func `a cut document asks for more`(_ text: SniffCase) {
        let outcomes = (0...text.bytes.count).map {
            ImageSniffer.sniff(Array(text.bytes.prefix($0)).span, isComplete: false)
        }
        let decided = outcomes.firstIndex(of: .format(.svg)) ?? outcomes.endIndex
        #expect(outcomes[..<decided].allSatisfy { $0 == .needMore })
        #expect(outcomes[decided...].allSatisfy { $0 == .format(.svg) })
        #expect(decided < outcomes.endIndex)
    }

    @Test(arguments: otherTexts) func `other text is no drawing`(_ text: SniffCase) {
        #expect(ImageSniffer.sniff(text.bytes.span, isComplete: true) == .notAnImage)
    }

    @Test(arguments: otherTexts) func `a page that holds a drawing is not taken for one at any cut`(_ text: SniffCase) {
        for count in 0...text.bytes.count {
            let outcome = ImageSniffer.sniff(Array(text.bytes.prefix(count)).span, isComplete: false)
            #expect(outcome == .needMore || outcome == .notAnImage, "\(count) bytes")
        }
    }

    @Test func `the root is sought in four kilobytes and not further`() {
        let padding = String(repeating: " ", count: ImageSniffer.textWindowBytes - 5)
        let inside = Array((padding + "<svg>").utf8)
        let outside = Array((padding + " <svg>").utf8)
        #expect(ImageSniffer.sniff(inside.span, isComplete: false) == .format(.svg))
        #expect(ImageSniffer.sniff(outside.span, isComplete: false) == .notAnImage)
        #expect(ImageSniffer.sniff(Array(padding.utf8).span, isComplete: false) == .needMore)
    }
}
