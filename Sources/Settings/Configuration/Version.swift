/// The version of the program: what `--version` prints and `userAgent` names.
public enum Version {
    /// The version in force, as semver.org writes versions.
    public static let current = "0.1.0"
}
