/// Who is told what happens on one hop.
///
/// The first three come from inside libcurl: nothing of the pool may be called from there but `pause` and `abandon`,
/// which note the wish.
protocol TransferOwner: AnyObject {
    /// A connection stands, TLS included, and the request is about to be written.
    func transferConnected(_ transfer: Transfer)
    /// The head is complete and sound.
    func transfer(_ transfer: Transfer, received head: CheckedHead) -> TransferVerdict
    /// Bytes of the body.
    func transfer(_ transfer: Transfer, received bytes: Span<UInt8>) -> TransferVerdict
    /// The transfer is over and no longer in the pool; nil is success, the framing of the body honoured.
    func transferEnded(_ transfer: Transfer, _ failure: TransferFailure?)
}

/// Whether an owner wants more of a response.
enum TransferVerdict {
    /// Go on.
    case more
    /// End here; the connection is closed.
    case enough
}

/// Why a transfer ended early.
enum TransferFailure: Equatable {
    /// The owner had `enough`.
    case dropped
    /// Something went wrong.
    case failed(OriginError)
}
