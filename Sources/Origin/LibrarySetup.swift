import CAres
import CCurl

/// Why the network libraries could not be made ready; at start that is fatal, later it fails one request.
public enum OriginSetupError: Error, Hashable, Sendable {
    /// A function of libcurl returned this code.
    case curl(function: String, code: Int32)
    /// A function of c-ares returned this code.
    case ares(function: String, code: Int32)

    /// The same fact as the failure of one request.
    var asOriginError: OriginError {
        switch self {
        case .curl(let function, let code), .ares(let function, let code):
            .internalFailure(function: function, code: code)
        }
    }
}

/// The one-time initialisation of both libraries.
enum LibrarySetup {
    /// libcurl is initialised once a process; the language makes the first use exclusive.
    private static let curlCode: CURLcode = curl_global_init(Int(CURL_GLOBAL_ALL))
    private static let aresCode: Int32 = ares_library_init(ARES_LIB_INIT_ALL)

    /// Makes sure that libcurl is ready.
    static func prepareCurl() throws(OriginSetupError) {
        try check(curlCode, "curl_global_init")
    }

    /// Makes sure that c-ares is ready.
    static func prepareAres() throws(OriginSetupError) {
        try check(ares: aresCode, "ares_library_init")
    }

    /// The gate of libcurl's easy codes.
    static func check(_ code: CURLcode, _ function: String) throws(OriginSetupError) {
        guard code == CURLE_OK else { throw .curl(function: function, code: Int32(bitPattern: code.rawValue)) }
    }

    /// The gate of libcurl's multi codes.
    static func check(_ code: CURLMcode, _ function: String) throws(OriginSetupError) {
        guard code == CURLM_OK else { throw .curl(function: function, code: code.rawValue) }
    }

    /// The gate of c-ares's codes.
    static func check(ares code: Int32, _ function: String) throws(OriginSetupError) {
        guard code == ARES_SUCCESS else { throw .ares(function: function, code: code) }
    }
}
