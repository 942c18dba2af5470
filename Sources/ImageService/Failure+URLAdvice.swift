import Origin

extension TargetURLError {
    /// The end of a sentence that says what is wrong and, by that, what to do.
    var advice: String {
        switch self {
        case .empty: "it is empty."
        case .tooLong: "it is too long."
        case .controlByte: "it holds a control byte; percent-encode it twice if the origin really wants it."
        case .unsupportedScheme: "it must begin with http:// or https://."
        case .missingHost: "it has no host."
        case .userInfo: "it holds a user name or password, which are not passed on."
        case .badHost: "its host is neither a name nor an address."
        case .zoneID: "its address has a zone id, which means something on one machine only."
        case .badPort: "its port is not a number from 1 to 65535."
        case .malformed: "it is malformed."
        }
    }
}
