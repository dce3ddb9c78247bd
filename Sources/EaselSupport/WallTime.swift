import Glibc

/// A time of day, for people to read in logs. Nothing is ever decided by it.
public struct WallTime: Hashable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
    public let millisecondsSince1970: Int64

    /// Creates the time that lies `millisecondsSince1970` after the start of 1970 in UTC.
    public init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// The present time of day by the machine's clock.
    public static var now: WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

extension WallTime: CustomStringConvertible {
    /// The time in UTC in the form of RFC 3339, with milliseconds: `2031-05-06T07:08:09.010Z`.
    public var description: String {
        let (days, millisecondOfDay) = millisecondsSince1970.quotientAndRemainderRoundingDown(by: 86_400_000)
        let date = WallTime.date(daysSince1970: days)
        let second = millisecondOfDay / 1000
        let parts = [
            padded(date.year, 4), "-", padded(date.month, 2), "-", padded(date.day, 2), "T",
            padded(second / 3600, 2), ":", padded(second / 60 % 60, 2), ":", padded(second % 60, 2), ".",
            padded(millisecondOfDay % 1000, 3), "Z",
        ]
        return parts.joined()
    }

    /// The day of the proleptic Gregorian calendar. The year is counted from March inside, so that the leap day comes last.
    private static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let daysFromMarchOfYear0To1970: Int64 = 719_468
        let (era, dayOfEra) = (days + daysFromMarchOfYear0To1970).quotientAndRemainderRoundingDown(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
    }

    private func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Int64 {
    fileprivate func quotientAndRemainderRoundingDown(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
