import HTTPCaching
import HTTPMessages
import ObjectStore
import Testing

@testable import ImageService

@Suite struct VariantPlacementTests {
    private let url = Fixtures.key()

    private func place(
        _ variance: Variance, _ accept: String, among former: VariantSet? = nil, limit: Int = 16
    ) -> VariantPlacement {
        VariantPlacement(of: url, variance: variance, request: [.accept: accept], among: former, limit: limit, seed: 7)
    }

    private func key(_ secondary: String) -> CacheKey {
        CacheKey(variant: Array(secondary.utf8), of: url, seed: 7)
    }

    @Test func `a response that does not vary lies under its URL, without a marker`() {
        let place = place(.none, "a")
        #expect(place.record == url && place.variants == nil && place.leaving == [] && place.secondaryKey == [])
    }

    @Test func `one that varies lies under a key of its own`() {
        let place = place(.fields([.accept]), "a")
        #expect(place.record == key("accept:a\n") && place.secondaryKey == Array("accept:a\n".utf8))
        #expect(place.variants?.entries.count == 1 && place.leaving == [])
    }

    @Test func `one that varies on everything changes nothing`() {
        let former = place(.fields([.accept]), "a").variants
        let place = place(.any, "b", among: former)
        #expect(place.record == url && place.variants == former && place.leaving == [])
    }

    @Test func `a default beside variants has a key of its own, too`() {
        let former = place(.fields([.accept]), "a").variants
        let place = place(.none, "b", among: former)
        #expect(place.record == key("") && place.variants?.entries.count == 2 && place.leaving == [])
    }

    @Test func `when only a default is left it returns to its URL, and all others go`() {
        let varied = place(.fields([.accept]), "a").variants
        let both = place(.none, "b", among: varied).variants
        let place = place(.none, "a", among: both)
        #expect(place.record == url && place.variants == nil)
        #expect(place.leaving == [key(""), key("accept:a\n")])
    }

    @Test func `what the limit pushes out goes`() {
        let former = place(.fields([.accept]), "a").variants
        let place = place(.fields([.accept]), "b", among: former, limit: 1)
        #expect(place.variants?.entries.map(\.key) == [Array("accept:b\n".utf8)])
        #expect(place.leaving == [key("accept:a\n")])
    }
}
