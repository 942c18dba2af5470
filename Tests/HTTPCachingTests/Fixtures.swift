import HTTPCaching
import HTTPMessages

/// Thu, 01 Jan 2026 00:00:00 GMT: when responses of these tests are received.
let receipt = HTTPDate(secondsSinceEpoch: 1_767_225_600)

/// A date field `seconds` after `receipt`.
func dateField(_ seconds: Int64) -> String {
    String(
        decoding: HTTPDate(secondsSinceEpoch: receipt.secondsSinceEpoch + seconds).written(), as: UTF8.self)
}

/// The status with that code.
func status(_ code: Int) -> Status {
    Status(code: code) ?? .ok
}

/// The name that the text is.
func name(_ text: String) -> FieldName {
    FieldName(text) ?? .age
}

/// A response received at `receipt`, `delay` seconds after its request.
func stored(
    _ fields: Fields, status code: Int = 200, delay: Int64 = 0, limit: Int64? = nil, softPurged: Bool = false
) -> StoredResponse {
    var times = StoredTimes(
        of: fields, requestTime: HTTPDate(secondsSinceEpoch: receipt.secondsSinceEpoch - delay), responseTime: receipt,
        lifetimeLimitSeconds: limit)
    times.isSoftPurged = softPurged
    return StoredResponse(status: status(code), fields: fields, times: times)
}

/// Settings in which nothing but the origin speaks.
func plainSettings(_ change: (inout CachePolicySettings) -> Void = { _ in }) -> CachePolicySettings {
    var settings = CachePolicySettings()
    settings.defaultTTL = 0
    settings.staleIfError = 0
    change(&settings)
    return settings
}

/// The freshness of a response with this `Cache-Control`.
func freshness(_ cacheControl: String, softPurged: Bool = false, settings: CachePolicySettings = plainSettings())
    -> Freshness
{
    Freshness(of: stored([.cacheControl: cacheControl], softPurged: softPurged), settings: settings)
}

/// The request directives of this `Cache-Control`.
func ask(_ cacheControl: String) -> RequestDirectives {
    RequestDirectives(of: [.cacheControl: cacheControl])
}

/// Bytes as text.
func text(_ bytes: [UInt8]?) -> String? {
    bytes.map { String(decoding: $0, as: UTF8.self) }
}
