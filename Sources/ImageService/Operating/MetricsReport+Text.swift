import HTTPMessages

extension MetricsReport {
    /// The page for Prometheus.
    ///
    /// Source: Prometheus, "Exposition formats", text format 0.0.4.
    func text() -> [UInt8] {
        var page = MetricsPage()
        for metric in Metric.allCases {
            page.begin(metric)
            for sample in samples(of: metric) { page.append(sample, of: metric) }
        }
        return page.bytes
    }
}

/// The metrics page while it is written.
private struct MetricsPage {
    var bytes: [UInt8] = []

    mutating func begin(_ metric: Metric) {
        bytes.append(contentsOf: "# HELP \(metric.rawValue) \(metric.help)\n".utf8)
        bytes.append(contentsOf: "# TYPE \(metric.rawValue) \(metric.kind.rawValue)\n".utf8)
    }

    mutating func append(_ sample: MetricsReport.Sample, of metric: Metric) {
        let labels = Array(zip(metric.labels, sample.labels))
        switch sample.value {
        case .count(let value):
            name(metric.rawValue, labels)
            DecimalText.append(value, to: &bytes)
        case .level(let value):
            name(metric.rawValue, labels)
            JSONText.appendNumber(value, to: &bytes)
        case .real(let value):
            name(metric.rawValue, labels)
            JSONText.appendNumber(value, to: &bytes)
        case .distribution(let reading):
            append(reading, metric.rawValue, labels)
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    private mutating func append(_ reading: HistogramReading, _ metric: String, _ labels: [(String, String)]) {
        for (bound, count) in zip(reading.boundTexts, reading.cumulated) {
            name(metric + "_bucket", labels + [("le", bound)])
            DecimalText.append(count, to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
        }
        name(metric + "_sum", labels)
        JSONText.appendNumber(reading.sumSeconds, to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        name(metric + "_count", labels)
        DecimalText.append(reading.count, to: &bytes)
    }

    private mutating func name(_ metric: String, _ labels: [(name: String, value: String)]) {
        bytes.append(contentsOf: metric.utf8)
        for (index, label) in labels.enumerated() {
            bytes.append(UInt8(ascii: index == 0 ? "{" : ","))
            bytes.append(contentsOf: label.name.utf8)
            bytes.append(contentsOf: "=\"".utf8)
            appendEscaped(label.value)
            bytes.append(UInt8(ascii: "\""))
        }
        if !labels.isEmpty { bytes.append(UInt8(ascii: "}")) }
        bytes.append(UInt8(ascii: " "))
    }

    private mutating func appendEscaped(_ value: String) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes.append(contentsOf: "\\\\".utf8)
            case UInt8(ascii: "\""): bytes.append(contentsOf: "\\\"".utf8)
            case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
            default: bytes.append(byte)
            }
        }
    }
}

extension HistogramReading {
    /// The upper bounds as they stand in labels, the last one open.
    var boundTexts: [String] {
        Histogram.boundsSeconds.map { bound in Int(exactly: bound)?.description ?? bound.description } + ["+Inf"]
    }
}
