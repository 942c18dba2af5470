extension OptionKind where Value == HostOverride {
    /// `hostOverrides`.
    static var hostOverride: Self {
        record(
            keys: ["host", "address"],
            read: { (reader) throws(ReadProblem) in
                let host = try reader.required("host", .host)
                guard !host.isWildcard else {
                    throw ReadProblem(
                        reason: .badValue, steps: [.key("host")], found: Setting.quoted(host.description),
                        expected: "one host, no wildcard")
                }
                return HostOverride(host: host, address: try reader.required("address", .ipAddress))
            },
            write: { ["host": .string($0.host.description), "address": .string($0.address.description)] })
    }
}

extension OptionKind where Value == OriginHeaders {
    /// `originHeaders`.
    static var originHeaders: Self {
        record(
            keys: ["host", "headers"],
            read: { (reader) throws(ReadProblem) in
                OriginHeaders(
                    host: try reader.required("host", .host), headers: try reader.required("headers", .fields))
            },
            write: {
                [
                    "host": .string($0.host.description),
                    "headers": OptionKind<[String: String]>.fields.write($0.headers),
                ]
            })
    }
}

extension OptionKind where Value == KeyRule {
    /// `keyRules`.
    static var keyRule: Self {
        let names = OptionKind<[String]>.list(.text("name", expected: "the name of a query parameter"))
        return record(
            keys: ["host", "dropParameters"],
            read: { (reader) throws(ReadProblem) in
                KeyRule(
                    host: try reader.required("host", .host),
                    dropParameters: try reader.required("dropParameters", names))
            },
            write: { ["host": .string($0.host.description), "dropParameters": names.write($0.dropParameters)] })
    }
}

extension OptionKind where Value == SigningKey {
    /// `signing.keys`.
    static var signingKey: Self {
        let id = OptionKind<String>.parsed(
            "key id", expected: "letters, digits, - and _ (a dot ends the id in `sig`)",
            { text in
                let isWord = text.utf8.allSatisfy {
                    (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 || $0 == 95
                }
                return isWord && !text.isEmpty ? text : nil
            },
            text: { $0 })
        return record(
            keys: ["id", "secret"],
            read: { (reader) throws(ReadProblem) in
                SigningKey(id: try reader.required("id", id), secret: try reader.required("secret", .fieldValue))
            },
            write: { ["id": .string($0.id), "secret": .string($0.secret)] })
    }
}

extension OptionKind where Value == PerHost {
    /// `perHost`.
    static var perHost: Self {
        let timeouts = ["dnsTimeout", "connectTimeout", "firstByteTimeout", "transferIdleTimeout", "totalTimeout"]
        return record(
            keys: ["host", "maxDownloadSize", "freshness"] + timeouts,
            read: { (reader) throws(ReadProblem) in
                var rule = PerHost(host: try reader.required("host", .host))
                rule.maxDownloadSize = try reader.optional("maxDownloadSize", Bounds.downloadSize)
                rule.freshness = try reader.optional("freshness", freshness) ?? [:]
                for key in timeouts {
                    rule.timeouts[key] = try reader.optional(key, Bounds.timeout)
                }
                return rule
            },
            write: { rule in
                var members: [String: Setting] = ["host": .string(rule.host.description)]
                members["maxDownloadSize"] = rule.maxDownloadSize.map { Bounds.downloadSize.write($0) }
                members["freshness"] = rule.freshness.isEmpty ? nil : freshness.write(rule.freshness)
                members.merge(rule.timeouts.mapValues { Bounds.timeout.write($0) }) { first, _ in first }
                return members
            })
    }

    private static var freshness: OptionKind<[String: Duration]> {
        let keys = [
            "defaultTTL", "minTTL", "maxTTL", "staleWhileRevalidate", "staleIfError", "keepStale", "redirectTTL",
        ]
        return .record(
            keys: keys,
            read: { (reader) throws(ReadProblem) in
                var values: [String: Duration] = [:]
                for key in keys { values[key] = try reader.optional(key, Bounds.lifetime) }
                return values
            },
            write: { $0.mapValues { Bounds.lifetime.write($0) } })
    }
}
