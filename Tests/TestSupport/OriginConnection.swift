/// One connection of the scripted origin: reads requests, follows the script, takes notes.
struct OriginConnection {
    let number: Int
    let socket: Socket
    let state: Monitor<ScriptedOrigin.State>

    /// Serves until either side ends the connection.
    func serve() {
        var buffer: [UInt8] = []
        while let request = nextRequest(&buffer), answer(request) {}
        socket.close()
        state.update { $0.connections[number] = nil }
    }

    private func nextRequest(_ buffer: inout [UInt8]) -> OriginRequestRecord? {
        while true {
            if let end = buffer[...].endOfHead {
                let head = WireHead(buffer[..<end])
                buffer.removeFirst(end)
                guard let head, head.firstLine.count == 3 else { return nil }
                return OriginRequestRecord(
                    method: String(head.firstLine[0]), target: String(head.firstLine[1]),
                    version: String(head.firstLine[2]), fields: head.fields, connection: number, time: .now)
            }
            guard let bytes = try? socket.read(until: .now + .seconds(120)), !bytes.isEmpty else { return nil }
            buffer += bytes
        }
    }

    /// Follows the script for the request; false when the connection is over.
    private func answer(_ request: OriginRequestRecord) -> Bool {
        let handler = state.update { state in
            state.requests.append(request)
            let now = (state.active[request.host] ?? 0) + 1
            state.active[request.host] = now
            state.highWater[request.host] = max(state.highWater[request.host] ?? 0, now)
            state.highWaterOfAll = max(state.highWaterOfAll, state.active.values.reduce(0, +))
            return state.routes[request.target] ?? state.otherwise
        }
        var run = Run(connection: self, request: request)
        let goesOn = run.follow(handler(request).steps(for: request))
        run.leaveActive()
        let delivery = OriginDelivery(
            target: request.target, bodyBytes: run.bodyBytes, peerLeft: run.peerLeft, time: .now)
        state.update { $0.deliveries.append(delivery) }
        return goesOn
    }

    /// The state of one reply on its way.
    private struct Run {
        let connection: OriginConnection
        let request: OriginRequestRecord
        var bodyBytes = 0
        var peerLeft = false
        var isActive = true

        mutating func follow(_ steps: [OriginReply.Step]) -> Bool {
            let lastSend = steps.lastIndex { if case .send = $0 { true } else { false } }
            for (index, step) in steps.enumerated() {
                switch step {
                case .send(let bytes, let body):
                    // Counted as over before the last bytes go: the peer may ask again the moment it has them.
                    if index == lastSend, isLastAct(index, steps) { leaveActive() }
                    guard write(bytes, body: body) else { return false }
                case .act(let action):
                    guard perform(action) else { return false }
                case .end(let ending):
                    return finish(ending)
                }
            }
            return true
        }

        private func isLastAct(_ index: Int, _ steps: [OriginReply.Step]) -> Bool {
            if index + 1 < steps.count, case .end(.silence) = steps[index + 1] { return false }
            return index + 2 == steps.count
        }

        private mutating func write(_ bytes: [UInt8], body: Int) -> Bool {
            // In pieces, so that it is known how much the peer took before it left.
            let headBytes = bytes.count - body
            var position = 0
            while position < bytes.count {
                let end = min(position + 16384, bytes.count)
                do {
                    try connection.socket.write(Array(bytes[position..<end]), upTo: .seconds(60))
                } catch {
                    peerLeft = true
                    return false
                }
                bodyBytes += max(0, end - max(position, headBytes))
                position = end
            }
            return true
        }

        private func perform(_ action: OriginReply.Action) -> Bool {
            switch action {
            case .pause(let duration): !connection.state.wait(upTo: duration) { $0.isClosed }
            case .wait(let gate): gate.wait(upTo: .seconds(60))
            case .open(let gate):
                {
                    gate.open(); return true
                }()
            }
        }

        private mutating func finish(_ ending: OriginReply.Ending) -> Bool {
            switch ending {
            case .keepOpen: return request.fields.first("connection")?.lowercased() != "close"
            case .close: connection.socket.finishWriting()
            case .reset: connection.socket.reset()
            case .silence:
                while let bytes = try? connection.socket.read(until: .now + .seconds(120)), !bytes.isEmpty {}
                peerLeft = true
            }
            return false
        }

        mutating func leaveActive() {
            guard isActive else { return }
            isActive = false
            let host = request.host
            connection.state.update { $0.active[host, default: 1] -= 1 }
        }
    }
}
