/// RFC 9111 §3 and §4 once more, written straight from the text on strings and dictionaries, without a line of the
/// production code: the two are compared on generated cases.
///
/// It covers `Cache-Control`, `Expires`, `Date`, `Age`, `Last-Modified` and the request directives, with the choices
/// that the RFC leaves open made as documented: of duplicates the first; invalid numbers are 0 in a response and in
/// the `max-age` of a request, and make other request directives void.
struct ReferenceModel {
    /// One case: a response, a request, and positions of the clock.
    struct Case {
        var statusCode: Int
        /// Field lines as they are sent; dates as seconds relative to the receipt, nil for an invalid date.
        var cacheControl: [String]
        var requestCacheControl: [String]
        var pragma: String?
        var age: [String]
        var date: DateValue
        var expires: DateValue
        var lastModified: DateValue
        var delay: Int
        var resident: Int
        var defaultTTL: Int
        var staleIfErrorDefault: Int
        var staleWhileRevalidateDefault: Int
        var sentAuthorization: Bool
    }

    /// A date field: absent, invalid, or so many seconds after the receipt.
    enum DateValue {
        case absent
        case invalid
        case at(Int)
    }

    /// What comes out.
    struct Outcome: Equatable {
        var isStorable: Bool
        var lifetime: Int
        var age: Int
        var decision: String
        var survivesError: Bool
    }

    private let input: Case
    private let response: [String: String?]
    private let request: [String: String?]

    init(_ input: Case) {
        self.input = input
        response = Self.parse(input.cacheControl.joined(separator: ","))
        var request = Self.parse(
            input.requestCacheControl.joined(separator: ","),
            skippingInvalid: ["min-fresh", "max-stale", "stale-if-error"])
        if input.requestCacheControl.isEmpty, input.pragma?.lowercased() == "no-cache" {
            request.updateValue(nil, forKey: "no-cache")
        }
        self.request = request
    }

    var outcome: Outcome {
        Outcome(
            isStorable: isStorable, lifetime: lifetime, age: currentAge, decision: decision,
            survivesError: survivesError)
    }

    // MARK: §3

    private var isStorable: Bool {
        if [206, 304].contains(input.statusCode) { return false }
        if says("no-store") || says("private") { return false }
        if input.sentAuthorization, !says("public"), !says("must-revalidate"), !says("s-maxage") { return false }
        guard case .absent = input.expires else { return true }
        return says("max-age") || says("s-maxage") || mayGuess
    }

    private var mayGuess: Bool {
        says("public") || [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 451, 501].contains(input.statusCode)
    }

    // MARK: §4.2.1, §4.2.2

    private var lifetime: Int {
        if says("s-maxage") { return seconds("s-maxage", in: response) ?? 0 }
        if says("max-age") { return seconds("max-age", in: response) ?? 0 }
        switch input.expires {
        case .invalid: return 0
        case .at(let expires): return max(0, expires - dateValue)
        case .absent: break
        }
        guard mayGuess else { return 0 }
        guard case .at(let modified) = input.lastModified else { return input.defaultTTL }
        return min(86_400, max(0, dateValue - modified) / 10)
    }

    private var dateValue: Int {
        if case .at(let date) = input.date { date } else { 0 }
    }

    // MARK: §4.2.3

    private var currentAge: Int {
        let first = input.age.joined(separator: ",").split(separator: ",").map { trim(String($0)) }
            .first { !$0.isEmpty }
        let ageValue = first.flatMap(Self.digits) ?? 0
        let apparentAge = max(0, 0 - dateValue)
        let corrected = ageValue + input.delay
        return max(apparentAge, corrected) + input.resident
    }

    // MARK: §4, §4.2.4, §5.2.1, RFC 5861

    private var staleness: Int { max(0, currentAge - lifetime) }

    private var isFresh: Bool { lifetime > currentAge }

    private var neverStale: Bool {
        says("must-revalidate") || says("proxy-revalidate") || says("s-maxage") || says("no-cache")
    }

    private var decision: String {
        let wish = undecorated
        return wish.hasPrefix("validate") && asks("only-if-cached") ? "504" : wish
    }

    private var undecorated: String {
        if asks("no-cache") { return "validate: request" }
        if asks("max-age") {
            let limit = seconds("max-age", in: request) ?? 0
            if limit == 0 || currentAge > limit { return "validate: request" }
        }
        if let minFresh = seconds("min-fresh", in: request), !isFresh || lifetime - currentAge < minFresh {
            return "validate: request"
        }
        if says("no-cache") { return "validate: stale" }
        if isFresh { return "fresh" }
        if neverStale { return "validate: stale" }
        if let value = request["max-stale"] {
            if value == nil { return "stale for client" }
            if let limit = seconds("max-stale", in: request), staleness <= limit { return "stale for client" }
        }
        let window =
            says("stale-while-revalidate")
            ? seconds("stale-while-revalidate", in: response) ?? 0 : input.staleWhileRevalidateDefault
        return window > 0 && staleness <= window ? "stale while revalidate" : "validate: stale"
    }

    private var survivesError: Bool {
        if says("no-cache") || asks("no-cache") { return false }
        if isFresh { return true }
        if neverStale { return false }
        let ours = says("stale-if-error") ? seconds("stale-if-error", in: response) ?? 0 : input.staleIfErrorDefault
        let window = max(ours, seconds("stale-if-error", in: request) ?? 0)
        return window > 0 && staleness <= window
    }

    // MARK: Parsing

    private func says(_ name: String) -> Bool { response.keys.contains(name) }

    private func asks(_ name: String) -> Bool { request.keys.contains(name) }

    private func seconds(_ name: String, in directives: [String: String?]) -> Int? {
        directives[name].flatMap { $0 }.flatMap(Self.digits)
    }

    /// Digits only, at most 2^31.
    private static func digits(_ text: String) -> Int? {
        guard !text.isEmpty, text.allSatisfy({ "0123456789".contains($0) }) else { return nil }
        return min(Int(text) ?? Int.max, 2_147_483_648)
    }

    /// Name to value, the first of duplicates; a value of nil where there is no `=`.
    ///
    /// A directive whose syntax is broken gets a value that is no number.
    private static func parse(_ list: String, skippingInvalid: Set<String> = []) -> [String: String?] {
        var result: [String: String?] = [:]
        var quoted = false
        var member = ""
        for character in list + "," {
            if character == "\"" { quoted.toggle() }
            guard character == ",", !quoted else {
                member.append(character)
                continue
            }
            let directive = trim(member)
            member = ""
            guard !directive.isEmpty else { continue }
            let parts = directive.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = trim(parts[0]).lowercased()
            guard result[name] == nil else { continue }
            var value: String? = parts.count == 2 ? parts[1] : nil
            if let text = value, text.hasPrefix("\""), text.hasSuffix("\""), text.count >= 2 {
                value = String(text.dropFirst().dropLast())
            }
            if parts[0] != trim(parts[0]) { value = "broken" }
            if skippingInvalid.contains(name), value.map({ digits($0) == nil }) ?? (name != "max-stale") { continue }
            result.updateValue(value, forKey: name)
        }
        return result
    }
}

private func trim(_ text: String) -> String {
    var slice = Substring(text)
    while let first = slice.first, first == " " || first == "\t" { slice.removeFirst() }
    while let last = slice.last, last == " " || last == "\t" { slice.removeLast() }
    return String(slice)
}
