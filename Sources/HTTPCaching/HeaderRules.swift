import HTTPMessages

/// Which response fields are stored and passed on, and which request fields reach an origin.
///
/// Source: RFC 9110 §7.6.1 (hop-by-hop), RFC 9111 §3.1 (storing fields).
public struct HeaderRules: Hashable, Sendable {
    /// What the service relays: images by an allow list, or everything by a deny list.
    public let scope: Storability.Scope
    private let kept: Set<FieldName>
    private let dropped: Set<FieldName>
    private let forwarded: Set<FieldName>
    private let forwardsAll: Bool

    /// Makes the rules from configuration.
    ///
    /// - Parameters:
    ///   - keep: response fields added to the allow list of images.
    ///   - drop: response fields never passed on.
    ///   - forward: names of request fields to pass on; `*` stands for all but the sensitive ones, which have to be
    ///     named. Names that are no tokens are left out.
    public init(
        scope: Storability.Scope, keep: [FieldName] = [], drop: [FieldName] = [],
        forward: [String] = ["Accept", "Accept-Language", "traceparent"]
    ) {
        self.scope = scope
        kept = Set(keep)
        dropped = Set(drop)
        forwardsAll = forward.contains("*")
        forwarded = Set(forward.filter { $0 != "*" }.compactMap { FieldName($0) })
    }
}

/// Responses.
extension HeaderRules {
    /// The fields of a response that may be stored and passed on.
    ///
    /// Left out are also `Age` and `Content-Length`, which each answer gets anew, and fields that `no-cache` or
    /// `private` names, which may not be reused without validation or not be shared. A response without a usable
    /// `Date` gets the time of its receipt (RFC 9110 §6.6.1).
    public func storedFields(of received: Fields, receivedAt time: HTTPDate) -> Fields {
        let directives = ResponseDirectives(of: received)
        // RFC 9110 §7.6.1: a field for all recipients, like Cache-Control, is no connection option.
        let excluded = Self.connectionNames(in: received).subtracting(FieldTables.decisive)
            .union(directives.noCacheFields).union(directives.privateFields)
        var fields = received
        fields.removeAll { name in
            excluded.contains(name) || FieldTables.perMessage.contains(name)
                || !(passesOn(name) || FieldTables.decisive.contains(name))
        }
        let hasDate = received.withFirst(.date) { HTTPDate(parsing: $0, now: time) != nil } ?? false
        if !hasDate { fields.set(.date, to: time.written()) }
        return fields
    }

    /// The stored fields that go to clients: fields that decide on reuse are stored even when the operator hides them.
    public func sentFields(of stored: Fields) -> Fields {
        guard !dropped.isEmpty else { return stored }
        var fields = stored
        fields.removeAll { !passesOn($0) }
        return fields
    }

    /// Whether a response field is passed on, whatever the message says of it.
    public func passesOn(_ name: FieldName) -> Bool {
        if FieldTables.hopByHop.contains(name) || dropped.contains(name) { return false }
        switch scope {
        case .images:
            if kept.contains(name) || FieldTables.imageFields.contains(name) { return true }
            return name != .contentRange && FieldTables.hasPrefix(name, FieldTables.imagePrefixes)
                && !FieldTables.hasPrefix(name, FieldTables.contentSecurityPolicy)
        case .everything:
            return !FieldTables.denied.contains(name) && !FieldTables.hasPrefix(name, FieldTables.deniedPrefixes)
        }
    }

    /// The fields that `Connection` declares to concern this connection only.
    static func connectionNames(in fields: Fields) -> Set<FieldName> {
        guard let value = fields.combined(.connection) else { return [] }
        return Set(FieldList.members(of: value.span).compactMap { FieldName(bytes: $0) })
    }
}

/// Requests.
extension HeaderRules {
    /// The fields of a client's request that go to the origin, before conditions and our own fields are added.
    public func forwardedFields(of client: Fields) -> Fields {
        let hopByHop = Self.connectionNames(in: client)
        var fields = client
        fields.removeAll { hopByHop.contains($0) || !forwards($0) }
        if scope == .images, !forwardsAll, forwards(.accept) {
            fields.set(.accept, to: AcceptReduction.reduced(client.combined(.accept)))
        }
        return fields
    }

    /// Which fields select among the responses of a URL: those that `Vary` names and that the origin may get to see.
    ///
    /// What never reaches it is the same for everyone: most images of content networks vary on `Accept-Encoding` or
    /// `Origin`, and need no variants.
    public func variance(of response: Fields) -> Variance {
        switch Variance(of: response) {
        case .none: return .none
        case .any: return .any
        case .fields(let names):
            let seen = names.filter(forwards)
            return seen.isEmpty ? .none : .fields(seen)
        }
    }

    /// Whether a request field of that name goes to the origin.
    public func forwards(_ name: FieldName) -> Bool {
        if FieldTables.hopByHop.contains(name) || FieldTables.ownRequestFields.contains(name) { return false }
        if forwarded.contains(name) { return true }
        return forwardsAll && !FieldTables.sensitive.contains(name)
            && !FieldTables.hasPrefix(name, FieldTables.sensitivePrefixes)
    }
}
