/// How the body of a request is delimited.
///
/// Source: RFC 9112 §6.3.
public enum BodyFraming: Hashable, Sendable, BitwiseCopyable {
    /// No body: the next request follows the head. A declared length of 0 is this, too.
    case none
    /// That many bytes, at least one.
    case length(UInt64)
    /// Chunks (RFC 9112 §7.1).
    case chunked
}

/// A parsed request head: facts, and offsets into the buffer that was parsed.
///
/// Shape: trivially copyable, 32-bit offsets. The offsets are valid for the bytes given to the parser, or a copy of
/// them; whoever keeps a head keeps the bytes.
public struct RequestHead: Hashable, Sendable, BitwiseCopyable {
    /// The method.
    public internal(set) var method: Method = .other
    /// The version that the rest of the head was judged by.
    public internal(set) var version: HTTPVersion = .http11
    /// Whether the client lets the connection live on after the answer (RFC 9112 §9.3).
    public internal(set) var keepAlive = true
    /// What else the head contains.
    public internal(set) var features: RequestFeatures = []
    /// How the body is delimited.
    public internal(set) var body: BodyFraming = .none

    private var targetStart: UInt32 = 0
    private var targetEnd: UInt32 = 0
    private var hostStart: UInt32 = 0
    private var hostEnd: UInt32 = 0
    private var noneMatchStart: UInt32 = 0
    private var noneMatchEnd: UInt32 = 0
    private var modifiedStart: UInt32 = 0
    private var modifiedEnd: UInt32 = 0
    private var fieldsOffset: UInt32 = 0
    private var headLength: UInt32 = 0

    /// Makes an empty head for the parser to fill.
    init() {}

    /// The request target as received, of any of the four forms (RFC 9112 §3.2); never empty.
    public internal(set) var target: Range<Int> {
        get { Int(targetStart)..<Int(targetEnd) }
        set { (targetStart, targetEnd) = (UInt32(newValue.lowerBound), UInt32(newValue.upperBound)) }
    }

    /// The value of `Host`, well-formed and perhaps empty; empty also where HTTP/1.0 left it out.
    public internal(set) var host: Range<Int> {
        get { Int(hostStart)..<Int(hostEnd) }
        set { (hostStart, hostEnd) = (UInt32(newValue.lowerBound), UInt32(newValue.upperBound)) }
    }

    /// The value of `If-None-Match`; empty where the field is absent, or there more than once.
    public internal(set) var ifNoneMatch: Range<Int> {
        get { Int(noneMatchStart)..<Int(noneMatchEnd) }
        set { (noneMatchStart, noneMatchEnd) = (UInt32(newValue.lowerBound), UInt32(newValue.upperBound)) }
    }

    /// The value of `If-Modified-Since`; empty where the field is absent, or there more than once.
    public internal(set) var ifModifiedSince: Range<Int> {
        get { Int(modifiedStart)..<Int(modifiedEnd) }
        set { (modifiedStart, modifiedEnd) = (UInt32(newValue.lowerBound), UInt32(newValue.upperBound)) }
    }

    /// The length of the head in bytes, from the start of the buffer to the end of its empty line.
    public internal(set) var length: Int {
        get { Int(headLength) }
        set { headLength = UInt32(newValue) }
    }

    /// The offset of the first field line.
    var fieldsStart: Int {
        get { Int(fieldsOffset) }
        set { fieldsOffset = UInt32(newValue) }
    }
}

/// The slow path: reading the fields again.
extension RequestHead {
    /// Gives all fields of the head.
    ///
    /// - Parameter bytes: The bytes that were parsed.
    /// Cost: copies the fields.
    public func fields(in bytes: Span<UInt8>) -> Fields {
        var fields = Fields()
        var position = fieldsStart
        while position < length - 2, let line = FieldLine(in: bytes, from: position) {
            fields.append(received: bytes.extracting(line.name), bytes.extracting(line.value))
            position = line.end
        }
        return fields
    }

    /// Finds the value of the first field of that name without copying anything.
    ///
    /// - Parameter bytes: The bytes that were parsed.
    public func value(of name: FieldName, in bytes: Span<UInt8>) -> Range<Int>? {
        var position = fieldsStart
        while position < length - 2, let line = FieldLine(in: bytes, from: position) {
            if name.matches(bytes.extracting(line.name)) { return line.value }
            position = line.end
        }
        return nil
    }
}
