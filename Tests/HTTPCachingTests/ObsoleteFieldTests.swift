import HTTPCaching
import HTTPMessages
import Testing

/// Fields that once meant something to caches.
@Suite struct ObsoleteFieldTests {
    private let fields: Fields = [.cacheControl: "max-age=60", .date: dateField(0)]

    @Test(arguments: ["110 - \"Response is Stale\"", "111 a \"Revalidation Failed\"", "garbage"])
    func `RFC 9111 §5_5: Warning changes nothing`(warning: String) {
        var warned = fields
        warned.append(name("warning"), warning)
        #expect(Freshness(of: stored(warned), settings: plainSettings()).lifetimeSeconds == 60)
        #expect(Freshness(of: stored(warned), settings: plainSettings()).isFresh(residentSeconds: 59))
        #expect(Revalidation.conditions(for: stored(warned)).isEmpty)
    }

    @Test func `RFC 9111 §5_4: Pragma in a response has no meaning`() {
        var pragmatic = fields
        pragmatic.append(.pragma, "no-cache")
        #expect(!Freshness(of: stored(pragmatic), settings: plainSettings()).requiresValidation)
        #expect(ResponseDirectives(of: pragmatic) == ResponseDirectives(of: fields))
        let verdict = Storability.judge(
            status: .ok, fields: [.pragma: "no-cache", .expires: dateField(60)], request: .init(), isComplete: true,
            scope: .everything, settings: plainSettings())
        #expect(verdict == .store)
    }
}
