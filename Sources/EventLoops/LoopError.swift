/// Why a loop, or a socket on it, could not be made or used.
public enum LoopError: Error, Equatable, Sendable {
    /// A C function failed; `code` is its `errno`.
    case system(function: String, code: Int32)
    /// libevent returned no object.
    case libevent(function: String)
    /// Somebody else listens there.
    case addressInUse(String)
    /// A file, directory or symbolic link that is no socket has the name.
    case notASocket(String)
    /// The address cannot be bound: not ours, not permitted, or no such directory; `code` is the `errno`.
    case cannotBind(String, code: Int32)
    /// A text that is not an address.
    case badAddress(String)
}
