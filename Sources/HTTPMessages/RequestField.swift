/// The request fields that the parser recognises while it passes over them.
enum RequestField: UInt8 {
    case accept, acceptEncoding, acceptLanguage, authorization, cacheControl, connection, contentLength, cookie
    case expect, host, ifMatch, ifModifiedSince, ifNoneMatch, ifRange, ifUnmodifiedSince, origin, pragma
    case proxyAuthorization, range, referer, secFetchSite, traceparent, transferEncoding, upgrade, userAgent, via
    /// Any other name.
    case other

    /// Recognises a name, known to be a token, in any case of letters.
    ///
    /// The name is taken as one or two integers with bit 5 of each octet set, and compared with constants. Setting that
    /// bit joins only upper and lower case, as far as the letters and hyphens of our names are concerned, since the
    /// other octets that it would join with them are no token octets. Names of more than sixteen octets are compared
    /// octet by octet: they are rare on the fast path.
    @inline(__always)
    init(_ name: Span<UInt8>) {
        switch name.count {
        case 0..<8:
            var word: UInt64 = 0
            for index in name.indices { word = word &<< 8 | UInt64(name[index] | 0x20) }
            self = RequestField(short: word)
        case 8...16:
            let caseBits: UInt64 = 0x2020_2020_2020_2020
            self = RequestField(
                count: name.count, first: name.word(at: 0).bigEndian | caseBits,
                last: name.word(at: name.count &- 8).bigEndian | caseBits)
        default:
            self = RequestField(long: name)
        }
    }

    /// Recognises a name of up to seven octets.
    @inline(__always)
    private init(short word: UInt64) {
        switch word {
        case 0x0076_6961: self = .via
        case 0x686F_7374: self = .host
        case 0x0072_616E_6765: self = .range
        case 0x6163_6365_7074: self = .accept
        case 0x636F_6F6B_6965: self = .cookie
        case 0x6578_7065_6374: self = .expect
        case 0x6F72_6967_696E: self = .origin
        case 0x7072_6167_6D61: self = .pragma
        case 0x0072_6566_6572_6572: self = .referer
        case 0x0075_7067_7261_6465: self = .upgrade
        default: self = .other
        }
    }

    /// Recognises a name of eight to sixteen octets by its first and last eight, which may overlap.
    @inline(__always)
    private init(count: Int, first: UInt64, last: UInt64) {
        switch (count, first, last) {
        case (8, 0x6966_2D6D_6174_6368, 0x6966_2D6D_6174_6368): self = .ifMatch
        case (8, 0x6966_2D72_616E_6765, 0x6966_2D72_616E_6765): self = .ifRange
        case (10, 0x636F_6E6E_6563_7469, 0x6E6E_6563_7469_6F6E): self = .connection
        case (10, 0x7573_6572_2D61_6765, 0x6572_2D61_6765_6E74): self = .userAgent
        case (11, 0x7472_6163_6570_6172, 0x6365_7061_7265_6E74): self = .traceparent
        case (13, 0x6175_7468_6F72_697A, 0x7269_7A61_7469_6F6E): self = .authorization
        case (13, 0x6361_6368_652D_636F, 0x2D63_6F6E_7472_6F6C): self = .cacheControl
        case (13, 0x6966_2D6E_6F6E_652D, 0x6E65_2D6D_6174_6368): self = .ifNoneMatch
        case (14, 0x636F_6E74_656E_742D, 0x742D_6C65_6E67_7468): self = .contentLength
        case (14, 0x7365_632D_6665_7463, 0x7463_682D_7369_7465): self = .secFetchSite
        case (15, 0x6163_6365_7074_2D65, 0x656E_636F_6469_6E67): self = .acceptEncoding
        case (15, 0x6163_6365_7074_2D6C, 0x6C61_6E67_7561_6765): self = .acceptLanguage
        default: self = .other
        }
    }

    /// Recognises a name of more than sixteen octets.
    private init(long name: Span<UInt8>) {
        if FieldName.transferEncoding.matches(name) {
            self = .transferEncoding
        } else if FieldName.ifModifiedSince.matches(name) {
            self = .ifModifiedSince
        } else if FieldName.ifUnmodifiedSince.matches(name) {
            self = .ifUnmodifiedSince
        } else if FieldName.proxyAuthorization.matches(name) {
            self = .proxyAuthorization
        } else {
            self = .other
        }
    }

    /// The feature that the mere presence of the field stands for, empty where the value decides.
    var feature: RequestFeatures {
        switch self {
        case .accept: .accept
        case .acceptEncoding: .acceptEncoding
        case .acceptLanguage: .acceptLanguage
        case .authorization: .authorization
        case .cacheControl: .cacheControl
        case .cookie: .cookie
        case .ifMatch: .ifMatch
        case .ifModifiedSince: .ifModifiedSince
        case .ifNoneMatch: .ifNoneMatch
        case .ifRange: .ifRange
        case .ifUnmodifiedSince: .ifUnmodifiedSince
        case .origin: .origin
        case .pragma: .pragma
        case .proxyAuthorization: .proxyAuthorization
        case .range: .range
        case .referer: .referer
        case .secFetchSite: .secFetchSite
        case .traceparent: .traceparent
        case .upgrade: .upgrade
        case .userAgent: .userAgent
        case .via: .via
        case .connection, .contentLength, .expect, .host, .transferEncoding: []
        case .other: .otherFields
        }
    }
}
