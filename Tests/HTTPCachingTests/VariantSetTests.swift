import HTTPMessages
import Testing

@testable import HTTPCaching

/// A set that came about by these responses, each with its `Vary` and its request, the oldest first.
private func set(_ responses: [(vary: String, request: Fields)], limit: Int = 16) throws -> VariantSet {
    try responses.reduce(VariantSet()) { set, response in
        set.storing(try entry(response.vary, response.request), for: response.request, limit: limit).set
    }
}

private func entry(_ vary: String, _ request: Fields) throws -> VariantSet.Entry {
    try #require(VariantSet.Entry(Variance(of: [.vary: vary]), for: request))
}

private let (foo, bar) = (name("foo"), name("bar"))

/// RFC 9111 §4.1, sentence by sentence.
@Suite struct VariantSetTests {
    // "The cache MUST NOT use that stored response without revalidation unless all the presented request header fields
    // nominated by that Vary field value match those fields in the original request."
    @Test func `all nominated fields have to match`() throws {
        let variants = try set([("Foo, Bar", [foo: "1", bar: "1"])])
        #expect(variants.selected(by: [foo: "1", bar: "1"]) == variants.entries[0])
        #expect(variants.selected(by: [foo: "1", bar: "2"]) == nil)
        #expect(variants.selected(by: [foo: "2", bar: "1"]) == nil)
    }

    // "If [...] a header field is absent from a request, it can only match another request if it is also absent there."
    @Test func `an absent field matches only an absent one`() throws {
        let variants = try set([("Foo", [:])])
        #expect(variants.selected(by: [bar: "1"]) != nil)
        #expect(variants.selected(by: [foo: ""]) == nil)
    }

    // "A stored response with a Vary header field value containing a member "*" always fails to match."
    @Test func `what varies on everything has no place in the set`() {
        #expect(VariantSet.Entry(.any, for: [:]) == nil)
    }

    // "If multiple stored responses match [...] the most recent response [...] is chosen."
    @Test func `of several that match the most recent is chosen`() throws {
        let variants = try set([
            ("Foo", [foo: "1"]), ("Foo, Bar", [foo: "2", bar: "1"]), ("Foo", [foo: "2", bar: "2"]),
        ])
        #expect(variants.entries.count == 3)
        #expect(variants.selected(by: [foo: "2", bar: "1"]) == variants.entries[0])
        #expect(variants.selected(by: [foo: "1", bar: "1"]) == variants.entries[2])
    }

    // "When a cache has multiple stored responses for a target URI and one or more omits the Vary header field, the cache
    // SHOULD choose the most recent [...] stored response with a valid Vary field value."
    @Test func `one without Vary is chosen when no other matches, however new it is`() throws {
        let variants = try set([("Foo", [foo: "1"]), ("", [foo: "2"])])
        #expect(variants.selected(by: [foo: "1"])?.variance == .fields([foo]))
        #expect(variants.selected(by: [foo: "2"])?.isForEveryone == true)
        #expect(variants.selected(by: [:])?.isForEveryone == true)
    }

    // MARK: Storing

    @Test func `a new response takes the place of all that its request would choose`() throws {
        let former = try set([("Foo, Bar", [foo: "1", bar: "1"]), ("Foo", [foo: "2"]), ("Foo", [foo: "1", bar: "2"])])
        let change = former.storing(try entry("Bar", [bar: "1"]), for: [foo: "1", bar: "1"], limit: 16)
        #expect(change.left == [former.entries[0], former.entries[2]])
        #expect(change.set.entries.dropFirst() == [former.entries[1]])
    }

    @Test func `the response without Vary leaves when its place is taken`() throws {
        let both = try set([("Foo", [foo: "1"]), ("", [foo: "2"])])
        let (standard, one) = (both.entries[0], both.entries[1])
        // The same variant again: the default was not what its request chose.
        #expect(both.storing(one, for: [foo: "1"], limit: 16).left == [])
        // It was for this one.
        #expect(both.storing(try entry("Foo", [foo: "2"]), for: [foo: "2"], limit: 16).left == [standard])
        // A new default for a request that had a variant takes the place of both; the key of the default is in use.
        let change = both.storing(standard, for: [foo: "1"], limit: 16)
        #expect(change.left == [one] && change.set.isPlain)
    }

    @Test func `beyond the limit the oldest leave`() throws {
        let variants = try set((1...16).map { ("Foo", [foo: "\($0)"]) })
        let change = variants.storing(try entry("Foo", [foo: "17"]), for: [foo: "17"], limit: 16)
        #expect(change.set.entries.count == 16 && change.left.map(\.key) == [Array("foo:1\n".utf8)])
        let smaller = variants.storing(variants.entries[3], for: [foo: "13"], limit: 2)
        #expect(smaller.set.entries == [variants.entries[3], variants.entries[0]] && smaller.left.count == 14)
        #expect(variants.storing(variants.entries[3], for: [foo: "13"], limit: 0).set.entries.count == 1)
    }

    @Test func `one entry can be taken out`() throws {
        let variants = try set([("Foo", [foo: "1"]), ("", [foo: "2"])])
        #expect(variants.removing(variants.entries[0]).entries == [variants.entries[1]])
        #expect(variants.removing(variants.entries[1]).isPlain && !variants.isPlain)
        #expect(variants.removing(variants.entries[0]).removing(variants.entries[1]).isEmpty)
    }

    @Test func `requests share an answer when they choose the same, or fit the latest Vary alike`() throws {
        let variants = try set([("Bar", [bar: "1"]), ("Foo", [foo: "1"])])
        #expect(variants.mayShare([foo: "1", bar: "8"], [foo: "1", bar: "9"]))
        #expect(variants.mayShare([foo: "2", bar: "8"], [foo: "2", bar: "9"]))
        #expect(!variants.mayShare([foo: "2"], [foo: "3"]))
        #expect(!variants.mayShare([foo: "1"], [foo: "2"]))
        #expect(!variants.mayShare([foo: "2"], [foo: "2", bar: "1"]))
        #expect(VariantSet().mayShare([foo: "1"], [foo: "2"]))
    }

    // MARK: On disk

    @Test func `what is written is read back, and nothing else is`() throws {
        let variants = try set([
            ("Foo, Bar", [foo: "a:b", bar: ""]), ("", [foo: "2"]), ("Bar", [:]), ("Foo", [foo: "x\u{e9}"]),
        ])
        let bytes = variants.serialized()
        #expect(VariantSet(serialized: bytes) == variants)
        #expect(VariantSet(serialized: VariantSet().serialized()) == VariantSet())
        for count in 0..<bytes.count {
            #expect(VariantSet(serialized: Array(bytes.prefix(count))) != variants)
        }
        #expect(VariantSet(serialized: [2] + bytes.dropFirst()) == nil)
        #expect(VariantSet(serialized: bytes + bytes.dropFirst()) == nil)
        #expect(VariantSet(serialized: [1, 0xFF, 0xFF, 0xFF, 0xFF]) == nil)
        for bad in ["foo", ":1\n", "fo o:1\n", "\n"] {
            #expect(VariantSet(serialized: [1, 0, 0, 0, UInt8(bad.utf8.count)] + bad.utf8) == nil, "\(bad)")
        }
    }
}

/// The set against a list of whole responses with their requests, compared field by field.
@Suite struct VariantSetModelTests {
    private struct Response {
        let vary: [FieldName]
        let request: Fields
        func fits(_ other: Fields) -> Bool { vary.allSatisfy { request.combined($0) == other.combined($0) } }
    }

    private struct Model {
        var responses: [Response] = []

        func selected(by request: Fields) -> Int? {
            responses.firstIndex { !$0.vary.isEmpty && $0.fits(request) } ?? responses.firstIndex { $0.vary.isEmpty }
        }

        mutating func store(_ response: Response, limit: Int) {
            let hadVariant = responses.contains { !$0.vary.isEmpty && $0.fits(response.request) }
            responses.removeAll {
                $0.vary.isEmpty ? response.vary.isEmpty || !hadVariant : $0.fits(response.request)
            }
            responses = Array(([response] + responses).prefix(limit))
        }
    }

    @Test func `it selects what the model selects`() throws {
        var random = SplitMix(state: 911)
        func request() -> Fields {
            var fields = Fields()
            for field in [foo, bar] {
                if let value = ["", "1", "2", nil].randomElement(using: &random) ?? nil { fields.append(field, value) }
            }
            return fields
        }
        for _ in 0..<300 {
            var (model, variants) = (Model(), VariantSet())
            for _ in 0..<12 {
                let vary = [[], [foo], [bar], [bar, foo]].randomElement(using: &random) ?? []
                let response = Response(vary: vary, request: request())
                let stored = try entry(vary.map(\.description).joined(separator: ","), response.request)
                let change = variants.storing(stored, for: response.request, limit: 5)
                #expect(Set(change.set.entries + change.left) == Set(variants.entries + [stored]))
                variants = change.set
                model.store(response, limit: 5)
                #expect(variants.selected(by: response.request) == stored)
                #expect(VariantSet(serialized: variants.serialized()) == variants)
                try compare(variants, model, request())
            }
        }
    }

    private func compare(_ variants: VariantSet, _ model: Model, _ request: Fields) throws {
        let expected = try model.responses.map { response in
            try entry(response.vary.map(\.description).joined(separator: ","), response.request)
        }
        #expect(variants.entries == expected)
        #expect(variants.selected(by: request) == model.selected(by: request).map { expected[$0] })
    }
}

@Suite struct VariantSetBoundsTests {
    private func set(_ values: [String], limit: Int = 1024) throws -> VariantSet {
        try values.reduce(VariantSet()) { set, value in
            let request: Fields = [.accept: value]
            let entry = try #require(VariantSet.Entry(.fields([.accept]), for: request))
            return set.storing(entry, for: request, limit: limit).set
        }
    }

    @Test func `clients cannot make a set larger than 32 KB`() throws {
        let set = try set((0..<20).map { "image/x\($0)" + String(repeating: "y", count: 5000) })
        #expect(set.entries.count == 6)
        #expect(set.serialized().count < 33_000)
        #expect(set.selected(by: [.accept: "image/x19" + String(repeating: "y", count: 5000)]) == set.entries.first)
        // One that is larger alone is still kept, by itself.
        let huge = String(repeating: "z", count: 40_000)
        #expect(try self.set(["image/a", huge]).entries.count == 1)
    }

    @Test func `what a disk holds is not believed beyond any limit`() throws {
        var bytes: [UInt8] = [1]
        for number in 0..<1025 {
            let key = Array("accept:\(number)\n".utf8)
            bytes += [0, 0, 0, UInt8(key.count)] + key
        }
        #expect(VariantSet(serialized: bytes) == nil)
    }
}
