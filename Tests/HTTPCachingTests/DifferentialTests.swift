import HTTPCaching
import HTTPMessages
import Testing

/// A generator of cases that is the same on every machine.
///
/// Source: SplitMix64, Steele, Lea and Flood 2014.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Makes cases whose interesting moments lie close together, so that borders are hit often.
private struct CaseGenerator {
    var random: SplitMix

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func small() -> Int { pick([0, 1, 2, 3, 5, 8, 10, 20]) }

    mutating func number() -> String {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: pick(["-1", "1.5", "x", "", "5x", "'5'", "99999999999", "2147483648"])
        case 1: "\"\(small())\""
        case 2: "00\(small())"
        default: "\(small())"
        }
    }

    mutating func directive(_ names: [String]) -> String {
        var text = pick(names)
        if text.hasSuffix("=") { text += number() }
        if chance(10) { text = text.uppercased() }
        if chance(3), let equals = text.firstIndex(of: "=") { text.insert(" ", at: equals) }
        return text
    }

    mutating func lines(_ names: [String], upTo count: Int) -> [String] {
        var lines: [String] = []
        for _ in 0..<Int.random(in: 0...count, using: &random) {
            if !lines.isEmpty, chance(60) {
                lines[lines.count - 1] += pick([",", ", ", " ,\t", ",,"]) + directive(names)
            } else {
                lines.append(directive(names))
            }
        }
        return lines
    }

    mutating func date() -> ReferenceModel.DateValue {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3: .absent
        case 4: .invalid
        default: .at(pick([-100, -30, -10, -5, -2, -1, 0, 1, 2, 5, 10, 30]))
        }
    }

    mutating func next() -> ReferenceModel.Case {
        ReferenceModel.Case(
            statusCode: pick([200, 200, 200, 203, 204, 206, 299, 301, 302, 404, 410, 500, 503]),
            cacheControl: lines(Self.responseNames, upTo: 4), requestCacheControl: lines(Self.requestNames, upTo: 3),
            pragma: chance(10) ? pick(["no-cache", "No-Cache", "foo"]) : nil,
            age: chance(30) ? [number()] + (chance(20) ? [number()] : []) : [],
            date: date(), expires: date(), lastModified: date(), delay: pick([0, 0, 0, 1, 2]), resident: small(),
            defaultTTL: pick([0, 0, 10]), staleIfErrorDefault: pick([0, 5]), staleWhileRevalidateDefault: pick([0, 5]),
            sentAuthorization: chance(10))
    }

    private static let responseNames = [
        "max-age=", "max-age=", "s-maxage=", "stale-while-revalidate=", "stale-if-error=", "no-cache", "no-store",
        "private", "public", "must-revalidate", "proxy-revalidate", "foo", "foo=\"a, max-age=7\"", "immutable",
    ]
    private static let requestNames = [
        "max-age=", "max-stale=", "max-stale", "min-fresh=", "stale-if-error=", "no-cache", "no-store",
        "only-if-cached", "foo=bar",
    ]
}

/// The production code on the same case.
private func judge(_ input: ReferenceModel.Case) -> ReferenceModel.Outcome {
    var fields = Fields()
    for line in input.cacheControl { fields.append(.cacheControl, line) }
    for line in input.age { fields.append(.age, line) }
    add(.date, input.date, to: &fields)
    add(.expires, input.expires, to: &fields)
    add(.lastModified, input.lastModified, to: &fields)
    var client = Fields()
    for line in input.requestCacheControl { client.append(.cacheControl, line) }
    if let pragma = input.pragma { client.append(.pragma, pragma) }
    let settings = plainSettings {
        $0.defaultTTL = Int64(input.defaultTTL)
        $0.staleIfError = Int64(input.staleIfErrorDefault)
        $0.staleWhileRevalidate = Int64(input.staleWhileRevalidateDefault)
        $0.maxTTL = .max
    }
    var facts = Storability.RequestFacts()
    facts.sentAuthorization = input.sentAuthorization
    let response = stored(fields, status: input.statusCode, delay: Int64(input.delay))
    let freshness = Freshness(of: response, settings: settings)
    let directives = RequestDirectives(of: client)
    let resident = Int64(input.resident)
    let storability = Storability.judge(
        status: response.status, fields: fields, request: facts, isComplete: true, scope: .everything,
        settings: settings)
    let reuse = Reuse.judge(
        request: directives, freshness: freshness, residentSeconds: resident, settings: settings)
    return ReferenceModel.Outcome(
        isStorable: storability == .store, lifetime: Int(freshness.lifetimeSeconds),
        age: Int(freshness.currentAge(residentSeconds: resident)), decision: describe(reuse),
        survivesError: Reuse.isAllowedOnError(
            request: directives, freshness: freshness, residentSeconds: resident, settings: settings))
}

private func add(_ name: FieldName, _ value: ReferenceModel.DateValue, to fields: inout Fields) {
    switch value {
    case .absent: break
    case .invalid: fields.append(name, "0")
    case .at(let seconds): fields.append(name, dateField(Int64(seconds)))
    }
}

private func describe(_ reuse: Reuse) -> String {
    switch reuse {
    case .fresh: "fresh"
    case .staleWhileRevalidate: "stale while revalidate"
    case .staleForClient: "stale for client"
    case .staleOffline: "stale offline"
    case .revalidate(.request): "validate: request"
    case .revalidate: "validate: stale"
    case .notCached: "504"
    }
}

@Suite struct DifferentialTests {
    @Test(arguments: [1, 2, 3, 4]) func `the production code agrees with the model on six thousand cases`(
        seed: UInt64
    ) {
        var generator = CaseGenerator(random: SplitMix(state: seed))
        var decisions: Set<String> = []
        for _ in 0..<6000 {
            let input = generator.next()
            let expected = ReferenceModel(input).outcome
            let found = judge(input)
            decisions.insert(expected.decision)
            #expect(found == expected, "\(input)")
            if found != expected { return }
        }
        // The cases reach every decision that does not need a special mode.
        #expect(decisions.count == 6)
    }
}
