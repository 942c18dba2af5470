import HTTPMessages

/// Which requests come from pages of other sites in a browser: such must not change anything, whatever the user may be
/// allowed to.
enum CrossSite {
    /// Judges what the browser says; a client that is none says nothing.
    ///
    /// Source: W3C Fetch Metadata §2.4 (`Sec-Fetch-Site`), RFC 6454 §7 (`Origin`).
    static func isRefused(_ fields: Fields, host: Span<UInt8>) -> Bool {
        if let site = fields.combined(.secFetchSite), !site.elementsEqual("same-origin".utf8),
            !site.elementsEqual("none".utf8)
        {
            return true
        }
        guard let origin = fields.combined(.origin) else { return false }
        let text = String(decoding: origin, as: UTF8.self).lowercased()
        guard text.hasPrefix("http://") || text.hasPrefix("https://"), let slashes = text.firstRange(of: "://") else {
            return true
        }
        return text[slashes.upperBound...] != String(decoding: host.copied(), as: UTF8.self).lowercased()
    }
}
