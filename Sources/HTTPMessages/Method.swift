/// The request methods that the service tells apart; everything else is `other`.
///
/// Source: RFC 9110 §9, RFC 5789 (PATCH).
public enum Method: UInt8, Sendable, BitwiseCopyable {
    case get
    case head
    case post
    case put
    case delete
    case options
    case trace
    case connect
    case patch
    /// A well-formed token that is none of the above.
    case other

    /// Recognises a method; case counts (RFC 9110 §9.1), so `get` is `other`.
    public init(_ token: Span<UInt8>) {
        var word: UInt64 = 0
        guard token.count <= 7 else {
            self = .other
            return
        }
        for index in token.indices {
            word = word &<< 8 | UInt64(token[index])
        }
        self = Method(word: word)
    }

    /// The method as it is written in a request line, nil for `other`.
    public var token: String? {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .trace: "TRACE"
        case .connect: "CONNECT"
        case .patch: "PATCH"
        case .other: nil
        }
    }

    /// Recognises a method of at most seven letters, packed with the last one in the lowest octet.
    init(word: UInt64) {
        switch word {
        case 0x47_45_54: self = .get
        case 0x48_45_41_44: self = .head
        case 0x50_4F_53_54: self = .post
        case 0x50_55_54: self = .put
        case 0x44_45_4C_45_54_45: self = .delete
        case 0x4F_50_54_49_4F_4E_53: self = .options
        case 0x54_52_41_43_45: self = .trace
        case 0x43_4F_4E_4E_45_43_54: self = .connect
        case 0x50_41_54_43_48: self = .patch
        default: self = .other
        }
    }
}
