extension MetricsReport {
    /// The same figures as one JSON object.
    ///
    /// Shape: `version`; then one member a metric, under its full name: the figure, or for a metric with labels an
    /// object whose members are label values (`{"memory":{"room":3}}`). A histogram is
    /// `{"count":n,"sum":seconds,"buckets":{"0.001":n,…,"+Inf":n}}`, cumulated.
    ///
    /// - Parameter members: what else the object holds; each value is JSON already.
    func json(adding members: [(name: String, json: [UInt8])] = []) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("version")
        writer.string(version)
        for metric in Metric.allCases {
            let rows = samples(of: metric)
            // Without a label there is nothing that an absent figure could be an object of.
            if rows.isEmpty, metric.labels.isEmpty { continue }
            writer.key(metric.rawValue)
            writer.append(rows, depth: 0, of: metric)
        }
        for member in members {
            writer.key(member.name)
            writer.raw(member.json)
        }
        writer.endObject()
        return writer.bytes
    }
}

extension JSONWriter {
    /// Writes rows that agree in their first labels, as an object of the label that comes next.
    fileprivate mutating func append(_ rows: [MetricsReport.Sample], depth: Int, of metric: Metric) {
        guard depth < metric.labels.count else {
            if let row = rows.first { append(row.value) }
            return
        }
        beginObject()
        var rest = rows
        while let label = rest.first?.labels[depth] {
            key(label)
            append(rest.filter { $0.labels[depth] == label }, depth: depth + 1, of: metric)
            rest.removeAll { $0.labels[depth] == label }
        }
        endObject()
    }

    private mutating func append(_ value: MetricsReport.Value) {
        switch value {
        case .count(let count): number(count)
        case .level(let level): number(level)
        case .real(let real): number(real)
        case .distribution(let reading):
            beginObject()
            key("count")
            number(reading.count)
            key("sum")
            number(reading.sumSeconds)
            key("buckets")
            beginObject()
            for (bound, count) in zip(reading.boundTexts, reading.cumulated) {
                key(bound)
                number(count)
            }
            endObject()
            endObject()
        }
    }
}
