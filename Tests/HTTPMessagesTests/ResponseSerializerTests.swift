import HTTPMessages
import Testing

@Suite struct ResponseSerializerTests {
    @Test func `a head is a status line, field lines and an empty line (RFC 9112 §4)`() {
        var output = Array("before ".utf8)

        ResponseHead(status: .notFound, fields: [.contentType: "text/plain", .age: "1"]).serialize(into: &output)

        #expect(
            String(decoding: output, as: UTF8.self)
                == "before HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nAge: 1\r\n\r\n")
    }

    @Test func `fields are appended one by one`() {
        var output: [UInt8] = []
        let value = Array("a\r\nb".utf8)

        ResponseSerializer.appendField(.contentLength, 1_048_576, to: &output)
        ResponseSerializer.appendField(.eTag, value.span, to: &output)
        ResponseSerializer.appendField(.vary, "c\nd", to: &output)
        ResponseSerializer.appendEnd(to: &output)

        #expect(
            String(decoding: output, as: UTF8.self) == "Content-Length: 1048576\r\nETag: a  b\r\nVary: c d\r\n\r\n")
    }

    @Test func `a status without a reason keeps the space before it (RFC 9112 §4)`() throws {
        var output: [UInt8] = []

        ResponseSerializer.appendStatusLine(try #require(Status(code: 299)), to: &output)

        #expect(output == Array("HTTP/1.1 299 \r\n".utf8))
    }

    @Test(
        arguments: [
            (0, "0"), (9, "9"), (10, "10"), (304, "304"), (18_446_744_073_709_551_615, "18446744073709551615"),
        ] as [(UInt64, String)])
    func `numbers are written and read without String`(value: UInt64, text: String) {
        var appended: [UInt8] = [1]
        DecimalText.append(value, to: &appended)
        var buffer = [UInt8](repeating: 0x2D, count: 24)
        var span = buffer.mutableSpan
        let count = DecimalText.write(value, into: &span, at: 2)

        #expect(appended == [1] + Array(text.utf8))
        #expect(count == text.utf8.count)
        #expect(DecimalText.digitCount(value) == count)
        #expect(String(decoding: buffer[..<(count + 3)], as: UTF8.self) == "--\(text)-")
        let digits = Array(text.utf8)
        let read = DecimalText.parse(digits.span)
        #expect(read == value)
    }

    @Test(arguments: ["", " 1", "1 ", "-1", "+1", "1.0", "a", "18446744073709551616", "100000000000000000000"])
    func `what is no 64-bit number is not read`(text: String) {
        let digits = Array(text.utf8)
        let read = DecimalText.parse(digits.span)

        #expect(read == nil)
    }
}

@Suite struct StatusTests {
    @Test func `codes outside 100 to 599 are no statuses (RFC 9110 §15)`() {
        for code in [-1, 0, 99, 600, 999, 65_636] {
            #expect(Status(code: code) == nil)
        }
        #expect(Status(code: 100) == .continue)
        #expect(Status(code: 599)?.reason == "")
    }

    @Test func `the class is the first digit (RFC 9110 §15)`() {
        #expect(Status.ok.isSuccessful)
        #expect(Status.notModified.isRedirection)
        #expect(Status.notFound.isClientError)
        #expect(Status.badGateway.isServerError)
        #expect(Status.continue.isInformational)
    }

    @Test func `some statuses never have content (RFC 9110 §6.4.1)`() {
        #expect(Status.notModified.forbidsContent)
        #expect(Status.noContent.forbidsContent)
        #expect(Status.continue.forbidsContent)
        #expect(!Status.ok.forbidsContent)
    }
}

@Suite struct MethodTests {
    @Test(arguments: [Method.get, .head, .post, .put, .delete, .options, .trace, .connect, .patch])
    func `a method is recognised by its token`(method: Method) throws {
        let token = try #require(method.token)

        let read = [token, token.lowercased(), token + "S"].map { Method(Array($0.utf8).span) }

        #expect(read == [method, .other, .other])
    }
}
