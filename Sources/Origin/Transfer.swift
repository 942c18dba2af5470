import CCurl
import HTTPMessages

/// One libcurl easy handle and the hop it carries; used again for other hops of the same pool.
///
/// | state       | what may be done                        | what ends it                             |
/// | ----------- | --------------------------------------- | ---------------------------------------- |
/// | resting     | `prepare`                               | the pool starts it                       |
/// | running     | callbacks; `pause`, `resume`, `abandon` of the pool | libcurl's message, or `abandon` |
/// | over        | `rest`                                  | the pool keeps it, or lets it go         |
///
/// Owner: the loop of the pool.
@safe
final class Transfer {
    // SAFETY: `easy` and `errorText` live from `init` to `deinit`. libcurl keeps `self` unretained as the context of
    // its callbacks, which come only while the handle is in a multi handle; the pool keeps `self` as long. Connections
    // keep `sockets` unretained; the pool has it until they are gone.
    let easy: UnsafeMutableRawPointer
    let errorText: UnsafeMutablePointer<CChar>
    let policy: TargetPolicy
    let sockets: KeptSockets
    let maxHeadBytes: Int

    /// Who is told; nil while resting or abandoned.
    var owner: (any TransferOwner)?
    /// Whether bytes are to stay where they are: the owner's wish, which libcurl follows.
    var isPaused = false
    var headCheck: ResponseHeadCheck
    var progress = TransferProgress()
    private var headerLines = CurlList()
    private var resolveLines = CurlList()
    /// The fields that `headerLines` were made of: most hops send the same.
    private var headerFields: Fields?
    private var isAddressLoaded = false

    /// Makes a resting transfer with everything set that does not change from hop to hop.
    init(settings: OriginSettings, policy: TargetPolicy, sockets: KeptSockets) throws(OriginSetupError) {
        guard let easy = unsafe curl_easy_init() else { throw .curl(function: "curl_easy_init", code: 0) }
        unsafe self.easy = easy
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        self.policy = policy
        self.sockets = sockets
        maxHeadBytes = settings.maxHeadBytes
        headCheck = ResponseHeadCheck(maxHeadBytes: settings.maxHeadBytes)
        try setFixedOptions(settings)
    }

    deinit {
        unsafe curl_easy_cleanup(easy)
        unsafe errorText.deallocate()
    }

    /// A number by which the pool finds the transfer that a libcurl message is about.
    var number: UInt { unsafe UInt(bitPattern: easy) }

    /// Makes the transfer ready for a hop.
    func prepare(_ request: TransferRequest, owner: any TransferOwner) throws(OriginSetupError) {
        self.owner = owner
        isPaused = false
        begin(isLiteral: request.url.isIPLiteral)
        try setLong(CURLOPT_FRESH_CONNECT, 0)
        try setString(CURLOPT_URL, request.url.bytes)
        // The path and query as they are, past libcurl's own idea of them.
        try setString(CURLOPT_REQUEST_TARGET, request.url.requestTarget)
        if headerFields != request.fields { try setHeaders(request) }
        if isAddressLoaded || !request.url.isIPLiteral { try setAddresses(request) }
    }

    /// Makes the transfer ready for the same hop once more, on a connection of its own.
    func prepareAgain() throws(OriginSetupError) {
        begin(isLiteral: progress.isLiteral)
        try setLong(CURLOPT_FRESH_CONNECT, 1)
        // libcurl forgets the addresses once it has loaded them.
        try unsafe setList(CURLOPT_RESOLVE, resolveLines.head)
    }

    private func begin(isLiteral: Bool) {
        progress = TransferProgress(isLiteral: isLiteral)
        headCheck = ResponseHeadCheck(maxHeadBytes: maxHeadBytes)
        unsafe errorText[0] = 0
    }

    /// Forgets the hop.
    func rest() {
        owner = nil
        progress = TransferProgress()
    }

    /// Hands over the new list before the old one goes.
    private func setHeaders(_ request: TransferRequest) throws(OriginSetupError) {
        let lines = try request.headerLines()
        headerFields = nil
        try unsafe setList(CURLOPT_HTTPHEADER, lines.head)
        headerLines = lines
        headerFields = request.fields
    }

    /// Hands over the new list before the old one goes; libcurl forgets a list once it has loaded it.
    private func setAddresses(_ request: TransferRequest) throws(OriginSetupError) {
        let lines = try request.resolveLines()
        try unsafe setList(CURLOPT_RESOLVE, lines.head)
        resolveLines = lines
        isAddressLoaded = !request.url.isIPLiteral
    }
}

@available(*, unavailable)
extension Transfer: Sendable {}

/// What has been seen of a hop.
struct TransferProgress {
    /// Whether the host is an address, so that libcurl may turn it into one.
    var isLiteral = false
    /// The rule that refused an address at the socket.
    var refusal: TargetRule?
    /// How many sockets were opened to allowed addresses.
    var openedSockets = 0
    /// Why a socket could not be made.
    var socketErrno: Int32 = 0
    /// Whether the kept connection had something to say before it was asked, and so was not used.
    var isSpoilt = false
    /// Whether any line of a response came.
    var hasLine = false
    /// The head, once complete.
    var head: CheckedHead?
    /// What the head check found wrong.
    var fault: ResponseHeadFault?
    /// Whether only the end of TLS can end the body, and it has not come.
    var awaitsTLSEnd = false
    /// Bytes of the body so far.
    var bodyBytes: UInt64 = 0
    /// Whether the owner had enough.
    var isDropped = false
}
