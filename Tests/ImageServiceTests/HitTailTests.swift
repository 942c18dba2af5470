import HTTPCaching
import Testing

@testable import ImageService

@Suite struct HitTailTests {
    private func expected(age: Int64, ttl: Int64, _ detail: CacheStatus.Detail, _ field: ConnectionField) -> String {
        let status = String(decoding: CacheStatus.hit(ttl: ttl, detail: detail).written(), as: UTF8.self)
        var text = "Age: \(age)\r\nCache-Status: \(status)\r\n"
        switch field {
        case .none: break
        case .keepAlive: text += "Connection: keep-alive\r\n"
        case .close: text += "Connection: close\r\n"
        }
        return text + "\r\n"
    }

    @Test func `says what the numbers are, whatever it said before`() {
        var generator = SeededGenerator(seed: 7)
        let numbers: [Int64] = [0, 1, 9, 10, 99, 100, 3600, 86_400, -1, -12, .max, 999_999_999]
        for detail in [CacheStatus.Detail.memory, .disk] {
            var tail = HitTail(detail)
            for _ in 0..<5_000 {
                let age = numbers.randomElement(using: &generator) ?? 0
                let ttl = numbers.randomElement(using: &generator) ?? 0
                let field = [ConnectionField.none, .keepAlive, .close].randomElement(using: &generator) ?? .none
                for _ in 0..<Int.random(in: 1...2, using: &generator) { tail.set(age: age, ttl: ttl, field) }
                var text = ""
                tail.withBytes { text = String(decoding: $0.copied(), as: UTF8.self) }
                #expect(text == expected(age: max(0, age), ttl: ttl, detail, field))
            }
        }
    }
}
