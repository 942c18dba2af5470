/// What can go wrong in a script itself, as opposed to what the product answers.
public enum ScriptFailure: Error, Equatable {
    /// A bounded wait ended without what it waited for.
    case timedOut(String)
    /// A system call failed.
    case system(call: String, code: Int32)
    /// The peer ended the connection before what was expected.
    case ended(String)
    /// The peer sent what is not HTTP.
    case malformed(String)
    /// A command ended badly.
    case command(String)
}
