import EventLoops
import Testing

@testable import ImageService

private func request(_ number: UInt64, host: String = "a", _ priority: Priority = .high, bytes: Int = 1)
    -> PermitRequest
{
    PermitRequest(flight: FlightID(home: 0, number: number), host: Array(host.utf8), priority: priority, bytes: bytes)
}

private func flight(_ number: UInt64) -> FlightID { FlightID(home: 0, number: number) }

extension DownloadQueue {
    fileprivate static func with(
        downloads: Int = 100, perHost: Int = 100, queue: Int = 100, bytes: Int = 1000
    ) -> DownloadQueue {
        DownloadQueue(
            limits: Limits(downloads: downloads, downloadsPerHost: perHost, queue: queue, inFlightBytes: bytes))
    }

    fileprivate mutating func add(_ requests: PermitRequest...) {
        for request in requests { #expect(enqueue(request, deadline: .distantFuture) == true) }
    }

    /// The numbers of the flights that may begin now, in order.
    fileprivate mutating func granted() -> [UInt64] {
        var numbers: [UInt64] = []
        while let next = grantNext() { numbers.append(next.request.flight.number) }
        return numbers
    }
}

@Suite struct DownloadQueueTests {
    // MARK: Limits

    @Test func `as many downloads run as the limit says, and one more for each that ends`() {
        var queue = DownloadQueue.with(downloads: 3)
        queue.add(request(1, host: "a"), request(2, host: "b"), request(3, host: "c"), request(4, host: "d"))
        #expect(queue.granted() == [1, 2, 3])
        #expect((queue.runningCount, queue.waitingCount) == (3, 1))
        queue.finish(flight(2))
        #expect(queue.granted() == [4])
        #expect((queue.runningCount, queue.waitingCount) == (3, 0))
    }

    @Test func `a host at its limit holds up nobody`() {
        var queue = DownloadQueue.with(perHost: 2)
        queue.add(request(1), request(2), request(3), request(4), request(5, host: "b"), request(6, host: "b", .low))
        #expect(queue.granted() == [1, 2, 5, 6])
        queue.finish(flight(1))
        #expect(queue.granted() == [3])
        queue.finish(flight(6))
        #expect(queue.granted() == [])
        queue.finish(flight(2))
        #expect(queue.granted() == [4])
    }

    @Test func `a full queue refuses, but not what may run at once`() {
        var queue = DownloadQueue.with(downloads: 1, queue: 2)
        queue.add(request(1))
        #expect(queue.granted() == [1])
        queue.add(request(2), request(3))
        #expect(queue.enqueue(request(4), deadline: .distantFuture) == false)
        #expect(queue.waitingCount == 2)
        queue.finish(flight(1))
        #expect(queue.granted() == [2])
        queue.add(request(5))
        #expect(queue.enqueue(request(6), deadline: .distantFuture) == false)
    }

    @Test func `without a queue there is still a download at a time`() {
        var queue = DownloadQueue.with(downloads: 2, perHost: 1, queue: 0)
        queue.add(request(1))
        #expect(queue.granted() == [1])
        #expect(queue.enqueue(request(2), deadline: .distantFuture) == false)
        queue.add(request(3, host: "b"))
        #expect(queue.granted() == [3])
        #expect(queue.enqueue(request(4, host: "c"), deadline: .distantFuture) == false)
        queue.finish(flight(1))
        queue.add(request(5))
        #expect(queue.granted() == [5])
    }

    @Test func `a raised limit on downloads counts from the next decision on`() {
        var queue = DownloadQueue.with(downloads: 1)
        queue.add(request(1), request(2), request(3))
        #expect(queue.granted() == [1])
        queue.limits.downloads = 2
        #expect(queue.granted() == [2])
        queue.limits.downloads = 1
        queue.finish(flight(1))
        #expect(queue.granted() == [])
        queue.finish(flight(2))
        #expect(queue.granted() == [3])
    }

    @Test func `a raised limit on a host counts from the next decision on`() {
        var queue = DownloadQueue.with(perHost: 1)
        queue.add(request(1), request(2), request(3))
        #expect(queue.granted() == [1])
        queue.limits.downloadsPerHost = 3
        #expect(queue.granted() == [2, 3])
    }

    // MARK: Order

    @Test func `high priority goes first, and then who came first`() {
        var queue = DownloadQueue.with(downloads: 0)
        queue.add(
            request(1, .low), request(2), request(3, host: "b", .low), request(4, host: "b"), request(5, host: "c"))
        queue.limits.downloads = 100
        #expect(queue.granted() == [2, 4, 5, 1, 3])
    }

    @Test func `a latecomer of high priority passes those of low priority of its host and of others`() {
        var queue = DownloadQueue.with(downloads: 1)
        queue.add(request(1))
        #expect(queue.granted() == [1])
        queue.add(request(2, .low), request(3, host: "b", .low), request(4, .high))
        queue.finish(flight(1))
        #expect(queue.granted() == [4])
        queue.finish(flight(4))
        #expect(queue.granted() == [2])
    }

    // MARK: Leaving

    @Test func `only what waits can be cancelled`() {
        var queue = DownloadQueue.with(downloads: 1)
        queue.add(request(1), request(2))
        #expect(queue.granted() == [1])
        #expect(queue.cancel(flight(1)) == false)
        #expect(queue.cancel(flight(2)) == true)
        #expect(queue.cancel(flight(2)) == false)
        #expect(queue.cancel(flight(9)) == false)
        queue.finish(flight(1))
        #expect(queue.granted() == [])
        #expect((queue.runningCount, queue.waitingCount) == (0, 0))
    }

    @Test func `who comes again after a cancel has lost its place`() {
        var queue = DownloadQueue.with(downloads: 1)
        queue.add(request(1))
        #expect(queue.granted() == [1])
        queue.add(request(2, host: "b"), request(3, host: "c"))
        #expect(queue.cancel(flight(2)) == true)
        queue.add(request(2, host: "b"))
        queue.finish(flight(1))
        #expect(queue.granted() == [3])
        queue.finish(flight(3))
        #expect(queue.granted() == [2])
    }

    @Test func `when the first of a host leaves the next takes its place`() {
        var queue = DownloadQueue.with(downloads: 1)
        queue.add(request(1))
        #expect(queue.granted() == [1])
        queue.add(request(2, host: "b"), request(3, host: "b"))
        #expect(queue.cancel(flight(2)) == true)
        queue.finish(flight(1))
        #expect(queue.granted() == [3])
    }

    @Test func `when the first of a host has waited too long the next takes its place`() {
        var queue = DownloadQueue.with(downloads: 1)
        queue.add(request(1))
        #expect(queue.granted() == [1])
        #expect(queue.enqueue(request(2, host: "b"), deadline: Instant(nanoseconds: 10)) == true)
        #expect(queue.enqueue(request(3, host: "b"), deadline: Instant(nanoseconds: 20)) == true)
        #expect(queue.expire(now: Instant(nanoseconds: 10)).map(\.flight.number) == [2])
        queue.finish(flight(1))
        #expect(queue.granted() == [3])
    }

    @Test func `who waited too long leaves, and only those`() {
        var queue = DownloadQueue.with(downloads: 1)
        #expect(queue.nextDeadline == nil)
        queue.add(request(1))
        #expect(queue.granted() == [1])
        for number in 2...4 as ClosedRange<UInt64> {
            #expect(queue.enqueue(request(number), deadline: Instant(nanoseconds: Int64(number) * 10)) == true)
        }
        #expect(queue.expire(now: Instant(nanoseconds: 19)).count == 0)
        #expect(queue.nextDeadline == Instant(nanoseconds: 20))
        #expect(queue.expire(now: Instant(nanoseconds: 30)).map(\.flight.number) == [2, 3])
        #expect(queue.waitingCount == 1)
        #expect(queue.nextDeadline == Instant(nanoseconds: 40))
        #expect(queue.cancel(flight(4)) == true)
        #expect(queue.expire(now: .distantFuture).count == 0)
        #expect(queue.nextDeadline == nil)
    }

    @Test func `a deadline that is behind one who has left is not missed`() throws {
        var queue = DownloadQueue.with(downloads: 1)
        #expect(queue.enqueue(request(1), deadline: Instant(nanoseconds: 10)) == true)
        #expect(queue.granted() == [1])
        #expect(queue.enqueue(request(2), deadline: Instant(nanoseconds: 20)) == true)
        #expect(try #require(queue.nextDeadline) <= Instant(nanoseconds: 20))
        #expect(queue.expire(now: Instant(nanoseconds: 15)).count == 0)
        #expect(queue.nextDeadline == Instant(nanoseconds: 20))
    }

    // MARK: Bytes in flight

    @Test func `a download waits for room for its bytes, which come back by release only`() {
        var queue = DownloadQueue.with(bytes: 100)
        queue.add(request(1, bytes: 60), request(2, bytes: 50))
        #expect(queue.grantNext()?.bytes == 60)
        #expect(queue.granted() == [])
        #expect(queue.inFlightBytes == 60)
        queue.finish(flight(1))
        #expect(queue.granted() == [])
        queue.release(bytes: 10)
        #expect(queue.granted() == [2])
        #expect(queue.inFlightBytes == 100)
        queue.release(bytes: 50)
        queue.release(bytes: 50)
        #expect(queue.inFlightBytes == 0)
    }

    @Test func `the first in line is not passed by smaller ones`() {
        var queue = DownloadQueue.with(bytes: 100)
        queue.add(request(1, bytes: 60))
        #expect(queue.granted() == [1])
        queue.add(request(2, host: "b", bytes: 80), request(3, host: "c", bytes: 1))
        #expect(queue.granted() == [])
        queue.release(bytes: 60)
        #expect(queue.granted() == [2, 3])
    }

    @Test func `a download larger than the whole limit runs alone rather than never`() {
        var queue = DownloadQueue.with(bytes: 100)
        queue.add(request(1, bytes: 1), request(2, bytes: 5000), request(3, bytes: 1))
        #expect(queue.granted() == [1])
        queue.release(bytes: 1)
        #expect(queue.grantNext()?.bytes == 100)
        #expect(queue.granted() == [])
        queue.release(bytes: 100)
        #expect(queue.granted() == [3])
    }

    // MARK: Memory

    @Test func `a queue that is empty keeps nothing of those who came through`() {
        var queue = DownloadQueue.with()
        for number in 1...5000 as ClosedRange<UInt64> {
            queue.add(request(number, host: "host \(number)"))
            #expect(queue.granted() == [number])
            queue.finish(flight(number))
            queue.release(bytes: 1)
        }
        func entries(_ path: String) -> Int? {
            Mirror(reflecting: queue).descendant(path, "entries").map { Mirror(reflecting: $0).children.count }
        }
        #expect(Mirror(reflecting: queue).descendant("hosts").map { Mirror(reflecting: $0).children.count } == 0)
        #expect(entries("ready").map { $0 < 100 } == true)
        #expect(entries("deadlines").map { $0 < 100 } == true)
    }
}
