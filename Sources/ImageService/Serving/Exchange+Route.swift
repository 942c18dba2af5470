import EventLoops
import HTTPCaching
import HTTPMessages
import ObjectStore
import Origin
import Settings

/// From the bytes of a request to a load.
extension Exchange {
    /// Finds out what is asked for, and answers or loads it.
    func route(_ bytes: Span<UInt8>) {
        let target = bytes.extracting(head.target)
        fields = head.fields(in: bytes)
        if role == .admin, !AdminHosts.admits(bytes.extracting(head.host), snapshot) {
            return fail(.misdirected)
        }
        switch Route(target, method: head.method) {
        case .image(let query): image(target, query: target.extracting(query))
        case .proxied: role == .data ? proxied(target) : fail(.notFound)
        case .tunnel:
            fail(
                .methodNotAllowed(detail: "CONNECT is not served; ask for /image?url=https… instead."),
                allow: "GET, HEAD")
        case .health: plain { respond(text: "ok\n", cacheControl: "no-cache") }
        case .welcome: welcome(host: String(decoding: bytes.extracting(head.host).copied(), as: UTF8.self))
        case .other(let path, let query):
            guard role == .admin else { return fail(.notFound) }
            admin(target.extracting(path), query: target.extracting(query), host: bytes.extracting(head.host))
        }
    }

    private func welcome(host: String) {
        plain { respond(text: role == .data ? Welcome.data(host: host) : Welcome.admin, cacheControl: "no-cache") }
    }

    /// Routes that take GET and HEAD only.
    func plain(_ answer: () -> Void) {
        guard head.method == .get || head.method == .head else { return failMethod() }
        answer()
    }

    private func failMethod() {
        fail(.methodNotAllowed(detail: "Only GET and HEAD are served here."), allow: "GET, HEAD")
    }

    // MARK: Images

    private func image(_ target: Span<UInt8>, query: Span<UInt8>) {
        guard head.method == .get || head.method == .head else { return failMethod() }
        do throws(Failure) {
            let query = try ImageQuery(query)
            try load(decoded: query.url.span, query: query, target: target)
        } catch {
            fail(error)
        }
    }

    /// `GET http://host/a.png`: the target, as it stands, is the URL.
    private func proxied(_ target: Span<UInt8>) {
        guard head.method == .get || head.method == .head else { return failMethod() }
        do throws(Failure) {
            try load(decoded: target, query: nil, target: target)
        } catch {
            fail(error)
        }
    }

    private func load(decoded: Span<UInt8>, query: ImageQuery?, target: Span<UInt8>) throws(Failure) {
        if head.features.contains(.via), let via = fields.combined(.via), Instance.isLoop(via) { throw .loop }
        let url: TargetURL
        do throws(TargetURLError) {
            url = try TargetURL.parse(decoded: decoded, maxLength: snapshot.configuration.maxURLLength)
        } catch {
            throw error == .tooLong ? .urlTooLong(limit: snapshot.configuration.maxURLLength) : .badURL(error)
        }
        self.url = url
        if case .refused(let rule) = snapshot.policy.judge(url) {
            serving.counters.countBlocked(rule.label)
            throw .notAllowed(rule: rule.label)
        }
        directives = RequestDirectives(of: fields)
        find(url, query: query, target: target)
    }

    /// Looks into the memory tier, then asks the home loop of the key.
    ///
    /// What an earlier configuration left in memory goes to the home loop too, which alone may put it there anew.
    private func find(_ url: TargetURL, query: ImageQuery?, target: Span<UInt8>) {
        let key = CacheKey(url.bytes, seed: serving.core.hashSeed)
        self.key = key
        let forwarded = snapshot.rules.forwardedFields(of: fields)
        if let hit = serving.core.memory.lookup(key) {
            if let variants = hit.object.variants {
                if let object = variant(among: variants, of: key, forwarded),
                    let current = current(object, query), isUsable(current, forwarded: forwarded)
                {
                    return respond(current, .hit(.memory), isCollapsed: false)
                }
            } else if let current = current(hit.object, query), isUsable(current, forwarded: forwarded) {
                serving.note(target, epoch: snapshot.epoch, ledTo: hit)
                return respond(current, .hit(.memory), isCollapsed: false)
            }
        } else if query?.only != .memory,
            let hit = serving.takeFromDisk(
                key, admittedUnder: snapshot.epoch, where: { isUsable($0, forwarded: forwarded) })
        {
            return respond(hit)
        }
        guard query?.only != .memory else { return fail(.notCached) }
        let request = LoadRequest(
            waiter: WaiterID(loop: serving.index, number: number), key: key, url: url,
            forwarded: forwarded, directives: directives,
            priority: query?.priority ?? .high, isCacheOnly: query?.only == .cache,
            isAuthorized: head.features.contains(.authorization), via: fields.combined(.via), snapshot: snapshot)
        serving.load(request, for: self)
    }

    /// The variant that the request selects, if memory has it.
    ///
    /// No alias leads to it: the request fields choose, not the target alone.
    private func variant(among variants: VariantSet, of key: CacheKey, _ forwarded: Fields) -> CachedObject? {
        guard let entry = variants.selected(by: forwarded) else { return nil }
        let record = CacheKey(variant: entry.key, of: key, seed: serving.core.hashSeed)
        return serving.core.memory.lookup(record)?.object
    }

    /// The object as the configuration of this request wants it; nil when its home loop has to see to that.
    ///
    /// A request for the memory tier alone goes no further than this loop.
    private func current(_ object: CachedObject, _ query: ImageQuery?) -> CachedObject? {
        guard object.epoch < snapshot.epoch else { return object }
        guard query?.only == .memory else { return nil }
        return ObjectMaker.renewed(
            object, snapshot: snapshot, now: serving.loop.now, wallNow: WallClock.seconds())
    }

    private func isUsable(_ object: CachedObject, forwarded: Fields) -> Bool {
        let reuse = Reuse.judge(
            request: directives, freshness: object.freshness,
            residentSeconds: object.residentSeconds(now: serving.loop.now), settings: snapshot.caching)
        guard reuse == .fresh else { return false }
        return snapshot.rules.variance(of: object.response.fields).secondaryKey(request: forwarded) == object.variantKey
    }
}
