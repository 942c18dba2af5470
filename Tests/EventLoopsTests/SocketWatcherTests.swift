import EventLoops
import Glibc
import TestSupport
import Testing

/// Two connected descriptors.
private final class Pair: Sendable {
    let near: Int32
    let far: Int32

    init() throws {
        var descriptors: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue) | O_NONBLOCK | O_CLOEXEC
        guard socketpair(AF_UNIX, kind, 0, &descriptors) == 0 else {
            throw ScriptFailure.system(call: "socketpair", code: errno)
        }
        (near, far) = (descriptors[0], descriptors[1])
    }

    deinit {
        close(near)
        close(far)
    }

    func writeFar() { _ = write(far, "x", 1) }
    func readNear() {
        var byte: UInt8 = 0
        _ = read(near, &byte, 1)
    }
}

@Suite(.blocking, .timeLimit(.minutes(Patience.factor))) struct SocketWatcherTests {
    @Test func `what is ready is told again until it is dealt with`() throws {
        // Given
        let (rig, pair, seen, held) = (try LoopRig(), try Pair(), Monitor<[Int16]>([]), Held<SocketWatcher>())
        defer { rig.stop() }
        try rig.run {
            held.value = SocketWatcher(loop: rig.loop, descriptor: pair.near) { events in
                let count = seen.update {
                    $0.append(events.rawValue)
                    return $0.count
                }
                if count == 3 { pair.readNear() }
            }
            held.value?.watch(.readable)
        }
        try rig.run {}
        #expect(seen.read { $0.isEmpty })
        // When
        pair.writeFar()
        // Then
        #expect(seen.wait { $0.count == 3 })
        try rig.run {}
        try rig.run {}
        #expect(seen.read { $0 } == [Int16](repeating: SocketWatcher.Events.readable.rawValue, count: 3))
        try rig.run { held.value = nil }
    }

    @Test func `only what is watched is told`() throws {
        // Given
        let (rig, pair, seen, held) = (try LoopRig(), try Pair(), Monitor<[Int16]>([]), Held<SocketWatcher>())
        defer { rig.stop() }
        pair.writeFar()
        try rig.run {
            held.value = SocketWatcher(loop: rig.loop, descriptor: pair.near) { events in
                seen.update { $0.append(events.rawValue) }
                held.value?.watch([])
            }
        }
        func told(_ events: SocketWatcher.Events, isReady: Bool = true) throws -> SocketWatcher.Events {
            seen.update { $0 = [] }
            try rig.run { held.value?.watch(events) }
            if isReady, !events.isEmpty { _ = seen.wait { !$0.isEmpty } }
            try rig.run {}
            try rig.run {}
            return SocketWatcher.Events(rawValue: seen.read { $0 }.reduce(0, |))
        }
        // Then
        #expect(try told([]) == [])
        #expect(try told(.readable) == .readable)
        #expect(try told(.writable) == .writable)
        #expect(try told([.readable, .writable]) == [.readable, .writable])
        #expect(try told([]) == [])
        pair.readNear()
        #expect(try told(.readable, isReady: false) == [])
        try rig.run { held.value = nil }
    }

    @Test func `the end of the other side can be read`() throws {
        // Given
        let (rig, pair, seen, held) = (try LoopRig(), try Pair(), Monitor(0), Held<SocketWatcher>())
        defer { rig.stop() }
        try rig.run {
            held.value = SocketWatcher(loop: rig.loop, descriptor: pair.near) { _ in
                seen.update { $0 += 1 }
                held.value?.watch([])
            }
            held.value?.watch(.readable)
        }
        // When
        shutdown(pair.far, Int32(SHUT_WR))
        // Then
        #expect(seen.wait { $0 == 1 })
        try rig.run { held.value = nil }
    }

    @Test func `a cancelled watcher lets its handler go, even from inside of it`() throws {
        // Given
        let (rig, pair, isGone, held) = (try LoopRig(), try Pair(), Monitor(false), Held<SocketWatcher>())
        defer { rig.stop() }
        try rig.run {
            let farewell = Farewell(isGone)
            held.value = SocketWatcher(loop: rig.loop, descriptor: pair.near) { _ in
                withExtendedLifetime(farewell) { held.value?.cancel() }
            }
            held.value?.watch(.readable)
        }
        #expect(!isGone.read { $0 })
        // When
        pair.writeFar()
        // Then
        #expect(isGone.wait { $0 })
        try rig.run { held.value = nil }
    }
}
