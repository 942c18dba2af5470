import CCurl

/// A `curl_slist`: lines that libcurl reads while a transfer runs.
///
/// SAFETY: the list is made and freed here; its owner keeps it until libcurl was given another one or none.
@safe
struct CurlList: ~Copyable {
    private(set) var head: UnsafeMutablePointer<curl_slist>?

    /// Makes an empty list.
    init() {
        unsafe head = nil
    }

    deinit { unsafe curl_slist_free_all(head) }

    /// Copies a line to the end.
    ///
    /// - Throws: without memory.
    mutating func append(_ line: [UInt8]) throws(OriginSetupError) {
        let text = TerminatedText(line)
        let longer = unsafe text.withPointer { unsafe curl_slist_append(head, $0) }
        guard let longer = unsafe longer else {
            throw .curl(function: "curl_slist_append", code: Int32(bitPattern: CURLE_OUT_OF_MEMORY.rawValue))
        }
        unsafe head = longer
    }
}

/// Bytes as C wants them: with a zero behind.
///
/// Bytes from the first zero on are lost, as they would be in C.
struct TerminatedText {
    private let bytes: [CChar]

    /// Cost: copies.
    init(_ text: [UInt8]) {
        bytes = text.map { CChar(bitPattern: $0) } + [0]
    }

    /// Lends a pointer that C may read until it returns.
    func withPointer<Result>(_ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        unsafe bytes.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }
}
