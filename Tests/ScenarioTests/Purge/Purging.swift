import ServiceHarness
import TestSupport

extension TestService {
    /// Purges by a query such as `host=a.test`, and gives the answer.
    func purge(_ query: String, _ fields: [(String, String)] = []) throws -> Answer {
        let text = (["Host: localhost"] + fields.map { "\($0.0): \($0.1)" }).joined(separator: "\r\n")
        let client = try ScriptedClient(adminEndpoint, of: self)
        try client.send("DELETE /images?\(query) HTTP/1.1\r\n\(text)\r\n\r\n")
        return try client.readAnswer(to: "DELETE")
    }

    /// Purges one image of the origin.
    func purge(_ target: String, of origin: ScriptedOrigin, soft: Bool = false) throws -> Answer {
        try purge("url=\(percentEncoded(origin.url(target)))\(soft ? "&soft=1" : "")")
    }

    /// Whether nothing of a purge by rule is left to be done: the list in its file is empty.
    func hasForgottenPurges() -> Bool { eventually { directory.read("v1/bans")?.count == 24 } }
}

extension Answer {
    /// The count of a purge; nil when it is no such answer.
    var purged: Int? {
        guard status == 200, let range = text.firstRange(of: "\"purged\":") else { return nil }
        return Int(text[range.upperBound...].prefix { $0.isNumber })
    }
}
