import EventLoops
import HTTPMessages
import Images

/// Decides what a body is by its declared type and its first bytes.
///
/// Pure.
enum ContentJudge {
    /// What is to be done with a body.
    enum Verdict: Hashable {
        /// Serve it as this type; nil keeps what the origin said.
        case accept(mediaType: [UInt8]?)
        /// Too few bytes are there to tell.
        case needMore
        /// Not to be served; the failure tells why.
        case refuse(Failure)
    }

    /// Judges as much of a body as is there.
    static func judge(fields: Fields, beginning: Chunk?, isComplete: Bool, snapshot: Snapshot) -> Verdict {
        if snapshot.relaysEverything { return .accept(mediaType: nil) }
        let declared = fields.first(.contentType)
        if isEncoded(fields) { return encoded(declared, snapshot) }
        guard let beginning, beginning.count > 0 else { return isComplete ? .refuse(.notAnImage) : .needMore }
        switch ImageSniffer.sniff(beginning.bytes, isComplete: isComplete) {
        case .needMore: return .needMore
        case .format(let format): return admit(ContentDecision.judge(declared: declared, sniffed: format), snapshot)
        case .notAnImage: return admit(ContentDecision.judge(declared: declared, sniffed: nil), snapshot)
        }
    }

    private static func admit(_ decision: ContentDecision, _ snapshot: Snapshot) -> Verdict {
        switch decision {
        case .image(_, let type): admits(type, snapshot)
        case .notAnImage: .refuse(.notAnImage)
        case .otherType: .refuse(.notAnImage)
        }
    }

    private static func admits(_ type: [UInt8], _ snapshot: Snapshot) -> Verdict {
        snapshot.admits(mediaType: type)
            ? .accept(mediaType: type) : .refuse(.typeNotAllowed(String(decoding: type, as: UTF8.self)))
    }

    /// An encoded body comes untouched or not at all: its bytes cannot be looked at, so a clean image type has to be
    /// declared.
    private static func encoded(_ declared: [UInt8]?, _ snapshot: Snapshot) -> Verdict {
        guard let declared, let type = MediaType(parsing: declared.span), type.isImage else {
            return .refuse(.notAnImage)
        }
        return admits(type.essence, snapshot)
    }

    private static func isEncoded(_ fields: Fields) -> Bool {
        guard let coding = fields.combined(.contentEncoding) else { return false }
        // RFC 9110 §8.4.1: codings have no case.
        return !coding.isEmpty && !coding.map { $0 | 0x20 }.elementsEqual("identity".utf8)
    }
}
