import EventLoops
import TestSupport
import Testing

@Suite(.blocking, .timeLimit(.minutes(Patience.factor))) struct MailboxTests {
    @Test func `messages of several threads all arrive, each thread's in order`() throws {
        // Given
        let rig = try LoopRig()
        defer { rig.stop() }
        let seen = Monitor([[Int]](repeating: [], count: 8))
        let mailbox = Mailbox<(thread: Int, number: Int)>(loop: rig.loop) { message in
            seen.update { $0[message.thread].append(message.number) }
        }
        let start = Barrier(parties: 8)
        // When
        _ = try clients(8) { thread in
            start.arrive()
            for number in 0..<2000 { mailbox.post((thread, number)) }
        }
        // Then
        #expect(seen.wait { $0.allSatisfy { $0.count == 2000 } })
        #expect(seen.read { $0.allSatisfy { $0 == Array(0..<2000) } })
    }

    @Test func `a sleeping loop is woken by each message`() throws {
        // Given
        let rig = try LoopRig()
        defer { rig.stop() }
        let echoes = Monitor(0)
        let mailbox = Mailbox<Int>(loop: rig.loop) { number in echoes.update { $0 = number } }
        // Then
        for number in 1...200 {
            mailbox.post(number)
            #expect(echoes.wait { $0 == number })
        }
    }

    @Test func `loops that write to each other both go on`() throws {
        // Given
        let (left, right, count) = (try LoopRig(), try LoopRig(), Monitor(0))
        defer {
            left.stop()
            right.stop()
        }
        let toLeft = Held<Mailbox<Int>>()
        let toRight = Mailbox<Int>(loop: right.loop) { number in toLeft.value?.post(number + 1) }
        toLeft.value = Mailbox<Int>(loop: left.loop) { number in
            count.update { $0 = number }
            if number < 1000 { toRight.post(number) }
        }
        // When
        toLeft.value?.post(0)
        // Then
        #expect(count.wait { $0 == 1000 })
        toLeft.value = nil
    }

    @Test func `a closed mailbox delivers nothing more and lets its handler go`() throws {
        // Given
        let (rig, seen, isGone) = (try LoopRig(), Monitor<[Int]>([]), Monitor(false))
        defer { rig.stop() }
        let mailbox = Mailbox<Int>(loop: rig.loop) { [farewell = Farewell(isGone)] number in
            withExtendedLifetime(farewell) { seen.update { $0.append(number) } }
        }
        // When
        try rig.run {
            mailbox.post(1)
            mailbox.close()
        }
        mailbox.post(2)
        try rig.run {}
        try rig.run {}
        // Then
        #expect(seen.read { $0 } == [])
        #expect(isGone.wait { $0 })
    }

    @Test func `what was posted before the loop ran, or before it ended, is delivered`() throws {
        // Given
        let loop = try EventLoop(index: 0)
        let seen = Monitor<[Int]>([])
        let mailbox = Mailbox<Int>(loop: loop) { number in seen.update { $0.append(number) } }
        // When
        mailbox.post(1)
        try loop.start(name: "test")
        mailbox.post(2)
        loop.stop()
        loop.join()
        // Then
        #expect(seen.read { $0 } == [1, 2])
    }
}
