import HTTPCaching
import HTTPMessages

/// For which requests of a URL a failure counts.
///
/// Pure. The origin has to be spared: what it says of an image it says to all. But no client may have others refused by
/// what it sends, nor by who it is.
enum FailureScope: Hashable {
    /// For all that ask without credentials: the image is not there, or the origin is not.
    case everyone
    /// For those whose fields named by `Vary` are the same (`Variance.secondaryKey`).
    case variant(Variance, [UInt8])
    /// For those that would be sent alike: the failure was about the request, or about who asked.
    case alike(Fields)

    /// Finds the scope of a failure.
    ///
    /// - Parameters:
    ///   - variance: how the responses of the URL vary, by the failure's own head or by what is stored.
    ///   - request: the fields as they were sent to the origin.
    init(of failure: Failure, variance: Variance, request: Fields) {
        if failure.isAboutRequest || Self.hasCredentials(request) {
            self = .alike(Self.telling(request))
        } else if variance == .none || !failure.dependsOnRequest {
            self = .everyone
        } else if let key = variance.secondaryKey(request: request) {
            self = .variant(variance, key)
        } else {
            self = .alike(Self.telling(request))
        }
    }

    /// Whether the failure counts for a request.
    func covers(_ request: Fields) -> Bool {
        switch self {
        case .everyone: !Self.hasCredentials(request)
        case .variant(let variance, let key):
            !Self.hasCredentials(request) && variance.secondaryKey(request: request) == key
        case .alike(let fields): Self.telling(request) == fields
        }
    }

    /// Whether two requests would be sent alike, but for what only traces them.
    static func areAlike(_ one: Fields, _ other: Fields) -> Bool { telling(one) == telling(other) }

    /// The fields that may make a difference: no two requests of a traced client are equal otherwise.
    private static func telling(_ request: Fields) -> Fields {
        var fields = request
        fields.removeAll { tracing.contains($0) }
        return fields
    }

    /// Source: W3C Trace Context, W3C Baggage.
    private static let tracing = Set(["traceparent", "tracestate", "baggage"].compactMap { FieldName($0) })

    private static func hasCredentials(_ request: Fields) -> Bool {
        request.contains(.authorization) || request.contains(.cookie)
    }
}
