// The order in which entries leave.

/// A binary min-heap of (key, entry); the smallest key leaves first.
///
/// Keys are lower bounds: a hit does not touch the heap, and an entry whose worth has grown is pushed down when it comes
/// up. Entries that left by another way stay behind as dead nodes, which are dropped when they come up or are swept.
struct EvictionQueue: Sendable {
    /// One entry in the heap.
    ///
    /// Shape: 16 bytes.
    struct Node: Equatable, Sendable {
        /// What the entry was worth when this was last looked at.
        var key: UInt64
        /// The entry.
        var handle: EntryHandle
    }

    private var nodes: [Node] = []
    private var sweepIndex = 0

    /// Makes an empty queue.
    init() {}

    /// All nodes, dead ones included.
    var count: Int { nodes.count }

    /// The node with the smallest key.
    var minimum: Node? { nodes.first }

    /// Adds a node.
    ///
    /// Room grows by an eighth, not twofold: half-empty it would be a quarter of what an entry of the disk tier costs.
    mutating func push(_ node: Node) {
        if nodes.count == nodes.capacity { nodes.reserveCapacity(nodes.count + nodes.count / 8 + 64) }
        nodes.append(node)
        siftUp(nodes.count - 1)
    }

    /// Removes the node with the smallest key.
    mutating func removeMinimum() {
        remove(at: 0)
    }

    /// Gives the node with the smallest key a larger one.
    mutating func raiseMinimum(to key: UInt64) {
        nodes[0].key = key
        siftDown(0)
    }

    /// Looks at the next few nodes, in memory order and round and round, and removes those that are dead.
    ///
    /// A full rebuild of a large heap would hold everybody up for tens of milliseconds; this spreads it over the events
    /// that leave dead nodes behind.
    ///
    /// - Parameters:
    ///   - steps: how many nodes to look at.
    ///   - entries: the owner's table, which knows who is dead.
    /// - Returns: how many nodes were removed.
    mutating func sweep(steps: Int, entries: some EvictionEntries) -> Int {
        var removed = 0
        for _ in 0..<steps {
            if sweepIndex >= nodes.count { sweepIndex = 0 }
            guard sweepIndex < nodes.count else { break }
            if entries.evictionEntry(nodes[sweepIndex].handle) == nil {
                remove(at: sweepIndex)
                removed += 1
            } else {
                sweepIndex += 1
            }
        }
        return removed
    }

    private mutating func remove(at index: Int) {
        let last = nodes.removeLast()
        guard index < nodes.count else { return }
        nodes[index] = last
        siftDown(index)
        siftUp(index)
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        let node = nodes[index]
        while index > 0 {
            let parent = (index - 1) / 2
            guard node.key < nodes[parent].key else { break }
            nodes[index] = nodes[parent]
            index = parent
        }
        nodes[index] = node
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        let node = nodes[index]
        while true {
            var child = 2 * index + 1
            guard child < nodes.count else { break }
            if child + 1 < nodes.count, nodes[child + 1].key < nodes[child].key { child += 1 }
            guard nodes[child].key < node.key else { break }
            nodes[index] = nodes[child]
            index = child
        }
        nodes[index] = node
    }
}
