import Glibc

/// How long tests wait before they call a thing lost, and how late "at once" may be.
///
/// Sanitizers slow everything down; `TEST_PATIENCE=6` stretches both six times.
public enum Patience {
    /// The factor.
    public static let factor = getenv("TEST_PATIENCE").flatMap { Int(String(cString: $0)) } ?? 1

    /// The longest wait for anything.
    public static let limit: Duration = .seconds(10 * factor)

    /// A time that a measurement must stay below.
    public static func stretched(_ duration: Duration) -> Duration { duration * factor }
}
