/// Finding where a run of octets ends, eight at a time.
///
/// Values and targets are most of a head. Eight octets are put into one word and tested together by arithmetic on the
/// word; measured, a browser's head of 570 bytes takes 40 % less time than octet by octet, a short one 20 % less.
extension Span where Element == UInt8 {
    /// Gives the offset of the first octet that is no token octet, or the end.
    ///
    /// Letters and `-` go by eights, other token octets one by one.
    @inline(__always)
    func endOfToken(from start: Int) -> Int {
        var index = start
        while index <= count &- 8 {
            let others = ~word(at: index).flagsOfWordOctets & UInt64.highBits
            guard others != 0 else {
                index &+= 8
                continue
            }
            index &+= others.trailingZeroBitCount &>> 3
            guard Octet.isToken(self[index]) else { return index }
            index &+= 1
        }
        while index < count, Octet.isToken(self[index]) { index += 1 }
        return index
    }

    /// Gives the offset of the first octet that may not stand in a request target, or the end.
    @inline(__always)
    func endOfTarget(from start: Int) -> Int {
        var index = start
        while index <= count &- 8 {
            let word = word(at: index)
            let found = word.flags(below: 0x21) | word.flags(equal: Octet.delete)
            guard found == 0 else { return index &+ found.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < count, self[index] > Octet.space, self[index] != Octet.delete { index += 1 }
        return index
    }

    /// Gives the offset of the first octet that may not stand in a field value, or the end.
    @inline(__always)
    func endOfFieldContent(from start: Int) -> Int {
        var index = start
        while index <= count &- 8 {
            let word = word(at: index)
            let found = word.flags(below: 0x20) | word.flags(equal: Octet.delete)
            guard found != 0 else {
                index &+= 8
                continue
            }
            index &+= found.trailingZeroBitCount &>> 3
            guard self[index] == Octet.tab else { return index }
            index &+= 1
        }
        while index < count, Octet.isFieldContent(self[index]) { index += 1 }
        return index
    }

    /// Gives eight octets as one word, the first in the lowest bits; they must lie within the span.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        let octets = extracting(offset..<offset &+ 8)
        let low = UInt64(octets[0]) | UInt64(octets[1]) &<< 8 | UInt64(octets[2]) &<< 16 | UInt64(octets[3]) &<< 24
        let high = UInt64(octets[4]) | UInt64(octets[5]) &<< 8 | UInt64(octets[6]) &<< 16 | UInt64(octets[7]) &<< 24
        return low | high &<< 32
    }
}

/// Tests on eight octets at once: each sets bit 7 of the octets that pass.
extension UInt64 {
    fileprivate static let highBits: UInt64 = 0x8080_8080_8080_8080
    private static let ones: UInt64 = 0x0101_0101_0101_0101

    /// The octets below a bound of at most 128; right up to and including the first one that passes.
    ///
    /// Behind it, borrows may set bits that mean nothing.
    @inline(__always)
    fileprivate func flags(below bound: UInt64) -> UInt64 {
        (self &- Self.ones &* bound) & ~self & Self.highBits
    }

    /// The octets equal to one; right up to and including the first one that passes.
    @inline(__always)
    fileprivate func flags(equal octet: UInt8) -> UInt64 {
        (self ^ Self.ones &* UInt64(octet)).flags(below: 1)
    }

    /// The octets that are ASCII letters or `-`; right for all eight, since no sum of seven bits leaves its octet.
    @inline(__always)
    fileprivate var flagsOfWordOctets: UInt64 {
        let folded = self | Self.ones &* 0x20
        let sevenBits = folded & ~Self.highBits
        let fromA = sevenBits &+ Self.ones &* (0x80 - 0x61)
        let beyondZ = sevenBits &+ Self.ones &* (0x80 - 0x7B)
        let notHyphen = ((self ^ Self.ones &* 0x2D) & ~Self.highBits) &+ Self.ones &* 0x7F
        return ((fromA & ~beyondZ) | ~notHyphen) & ~self & Self.highBits
    }
}
