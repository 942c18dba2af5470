import HTTPCaching
import HTTPMessages

/// The end of a head, which changes from hit to hit: `Age`, `Cache-Status`, `Connection`, the empty line.
///
/// It is kept from one hit to the next. Most of the time nothing in it has changed, else mostly digits, which are written
/// over; the text is made anew only when one of the numbers has become longer or shorter.
///
/// ```
///  Age: 17 CRLF Cache-Status: imagestore; hit; ttl=3583; detail=memory CRLF Connection: close CRLF CRLF
///       ^ ageStart                                ^ ttlStart
/// ```
///
/// Owner: a serving loop, which has one for each kind of hit.
/// Cost: does not allocate once its room has grown.
struct HitTail {
    private static let agePrefix = "Age: "
    private static let statusPrefix = "\r\nCache-Status: "
    private static let ageStart = 5

    private let detail: CacheStatus.Detail
    private var text: [UInt8] = []
    private var age: Int64 = -1
    private var ttl: Int64 = -1
    private var field = ConnectionField.none
    private var ageDigits = 0
    private var ttlStart = 0
    private var ttlDigits = 0

    /// Makes the end of heads of one kind of hit.
    init(_ detail: CacheStatus.Detail) {
        self.detail = detail
        text.reserveCapacity(160)
    }

    /// Makes the text that these numbers ask for.
    ///
    /// - Parameters:
    ///   - age: what `Age` tells (RFC 9111 §5.1).
    ///   - ttl: for how long the response stays fresh (RFC 9211 §2.3).
    ///   - field: what is said about the connection.
    @inline(__always)
    mutating func set(age: Int64, ttl: Int64, _ field: ConnectionField) {
        if age == self.age, ttl == self.ttl, field == self.field, age >= 0 { return }
        change(age: max(0, age), ttl: ttl, field)
    }

    /// Lends the text.
    @inline(__always)
    func withBytes(_ body: (Span<UInt8>) -> Void) {
        body(text.span)
    }

    private mutating func change(age: Int64, ttl: Int64, _ field: ConnectionField) {
        let hasSameShape =
            field == self.field && ttl >= 0 && self.ttl >= 0
            && DecimalText.digitCount(UInt64(age)) == ageDigits && DecimalText.digitCount(UInt64(ttl)) == ttlDigits
        (self.age, self.ttl, self.field) = (age, ttl, field)
        guard hasSameShape else { return render() }
        let place = ttlStart
        var output = text.mutableSpan
        DecimalText.write(UInt64(age), into: &output, at: Self.ageStart)
        DecimalText.write(UInt64(ttl), into: &output, at: place)
    }

    private mutating func render() {
        ageDigits = DecimalText.digitCount(UInt64(age))
        ttlDigits = DecimalText.digitCount(ttl.magnitude)
        text.removeAll(keepingCapacity: true)
        text.append(contentsOf: Self.agePrefix.utf8)
        DecimalText.append(UInt64(age), to: &text)
        text.append(contentsOf: Self.statusPrefix.utf8)
        let memberStart = text.count
        CacheStatus.hit(ttl: ttl, detail: detail).append(to: &text)
        ttlStart = memberStart + CacheStatus.hitPrefix.utf8.count
        ResponseSerializer.appendEnd(to: &text)
        field.append(to: &text)
        ResponseSerializer.appendEnd(to: &text)
    }
}
