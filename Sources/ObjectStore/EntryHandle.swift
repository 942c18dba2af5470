// The name of an entry that survives the entry.

/// A slot together with the generation it had.
///
/// A slot is used again and again; each change of its content raises the generation, so that an old handle names nothing.
public struct EntryHandle: Hashable, Sendable {
    /// The place of the entry.
    public let slot: UInt32
    /// The content of the slot that is meant.
    public let generation: UInt32

    /// Names one content of one slot.
    public init(slot: UInt32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }
}
