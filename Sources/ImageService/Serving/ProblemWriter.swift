import EventLoops
import HTTPMessages

/// Writes error answers: `application/problem+json` (RFC 9457), never a validator, never an internal address.
enum ProblemWriter {
    /// What one error answer needs.
    struct Answer {
        /// What went wrong.
        let failure: Failure
        /// The image's URL, for the problem's `url`; nil when none was read.
        var url: [UInt8]?
        /// Whether the connection goes on.
        var keepsAlive: Bool
        /// Whether an HTTP/1.0 client has to be told so.
        var isHTTP10 = false
        /// Whether the client wants more than the head.
        var sendsBody = true
        /// The member for `Cache-Status`, rendered.
        var cacheStatus: [UInt8]?
        /// For how long the failure is remembered.
        var remembersSeconds: Int64 = 0
        /// The value of `Allow`, which a 405 must have.
        var allow: String?
        /// What the operator adds to every answer.
        var addedFields = Fields()
    }

    /// Appends head and body to what the connection sends.
    static func append(_ answer: Answer, to connection: Connection, date: HTTPDate) {
        let facts = answer.failure.answer
        let body = body(facts, url: answer.url)
        var head: [UInt8] = []
        head.reserveCapacity(512)
        ResponseSerializer.appendStatusLine(Status(code: Int(facts.status)) ?? .badGateway, to: &head)
        appendFields(answer, facts, date: date, to: &head)
        ResponseSerializer.appendField(.contentLength, UInt64(body.count), to: &head)
        ResponseSerializer.appendEnd(to: &head)
        if answer.sendsBody { head += body }
        connection.append(head.span)
    }

    private static func appendFields(_ answer: Answer, _ facts: FailureAnswer, date: HTTPDate, to head: inout [UInt8]) {
        ResponseSerializer.appendField(.contentType, "application/problem+json", to: &head)
        ResponseSerializer.appendField(.date, String(decoding: date.written(), as: UTF8.self), to: &head)
        ResponseSerializer.appendField(.xContentTypeOptions, "nosniff", to: &head)
        let remembers = answer.remembersSeconds
        ResponseSerializer.appendField(.cacheControl, remembers > 0 ? "max-age=\(remembers)" : "no-store", to: &head)
        ResponseSerializer.appendField(.via, Instance.via, to: &head)
        let status = answer.cacheStatus ?? Array("imagestore; detail=\(facts.name)".utf8)
        ResponseSerializer.appendField(.cacheStatus, status.span, to: &head)
        if let parameter = facts.proxyParameter {
            ResponseSerializer.appendField(.proxyStatus, "imagestore; \(parameter)", to: &head)
        }
        if let seconds = facts.retryAfterSeconds {
            // What is remembered has become older since the origin said so.
            let left = remembers > 0 ? min(seconds, remembers) : seconds
            ResponseSerializer.appendField(.retryAfter, UInt64(max(0, left)), to: &head)
        }
        if case .rangeNotSatisfiable(let length) = answer.failure {
            ResponseSerializer.appendField(.contentRange, "bytes */\(length)", to: &head)
        }
        if let allow = answer.allow { ResponseSerializer.appendField(.allow, allow, to: &head) }
        answer.addedFields.serialize(into: &head)
        if !answer.keepsAlive {
            ResponseSerializer.appendField(.connection, "close", to: &head)
        } else if answer.isHTTP10 {
            ResponseSerializer.appendField(.connection, "keep-alive", to: &head)
        }
    }

    private static func body(_ facts: FailureAnswer, url: [UInt8]?) -> [UInt8] {
        var json = Array(#"{"type":"urn:imagestore:error:"#.utf8)
        json += facts.name.utf8
        json += #"","title":"#.utf8
        JSONText.appendString(Array(facts.title.utf8), to: &json)
        json += #","status":"#.utf8
        DecimalText.append(UInt64(facts.status), to: &json)
        json += #","detail":"#.utf8
        JSONText.appendString(Array(facts.detail.utf8), to: &json)
        if let url {
            json += #","url":"#.utf8
            JSONText.appendString(url, to: &json)
        }
        json += "}\n".utf8
        return json
    }
}
