/// Why a value could not be read; the loader adds which option and where it stands.
struct ReadProblem: Error, Equatable {
    /// What is wrong, as a fixed phrase.
    enum Reason: String, Sendable {
        case wrongType = "wrong type"
        case badValue = "bad value"
        case outOfBounds = "out of bounds"
        case unknownKey = "unknown key"
        case missingKey = "missing key"
    }

    /// What is wrong.
    var reason: Reason
    /// Where inside the option's value.
    var steps: [SettingStep] = []
    /// What stands there.
    var found: String
    /// What should.
    var expected: String
    /// The nearest thing that would do.
    var nearest: String?

    /// The same problem, seen from one step further out.
    func under(_ step: SettingStep) -> ReadProblem {
        var problem = self
        problem.steps.insert(step, at: 0)
        return problem
    }
}
