/// Why a text is not a URL that we fetch.
///
/// The cases are facts for a log line and a counter; none of them holds bytes of the URL, which may carry secrets.
public enum TargetURLError: Error, Hashable, Sendable, CaseIterable {
    /// There is nothing to parse.
    case empty
    /// The URL is longer than the limit, as given or in its canonical form.
    case tooLong
    /// A byte below 0x20, or 0x7F, stands in the decoded value.
    case controlByte
    /// The text does not begin with `http://` or `https://`.
    case unsupportedScheme
    /// Nothing stands between `//` and the path.
    case missingHost
    /// A user name or password stands before the host.
    case userInfo
    /// The host is neither a name that DNS could hold nor an address.
    case badHost
    /// The host carries an IPv6 zone id, which means something on one machine only.
    case zoneID
    /// The port is not a number from 1 to 65535.
    case badPort
    /// libcurl does not take it for a URL, or the canonical form is not stable.
    case malformed

    /// A fixed word for counters and logs.
    public var label: String {
        switch self {
        case .empty: "empty"
        case .tooLong: "too-long"
        case .controlByte: "control-byte"
        case .unsupportedScheme: "unsupported-scheme"
        case .missingHost: "missing-host"
        case .userInfo: "user-info"
        case .badHost: "bad-host"
        case .zoneID: "zone-id"
        case .badPort: "bad-port"
        case .malformed: "malformed"
        }
    }
}
