@testable import EaselCore

/// What writers do to a text.
enum TextChange {
    case insert(TextInsertion)
    case flip(HiddenCause, Bool, [CharacterRange])
    /// The server's.
    case purge([CharacterRange])
}

extension Text {
    mutating func apply(_ change: TextChange) -> Bool {
        switch change {
        case .insert(let insertion): return insert(insertion) == nil
        case .flip(let cause, let isHidden, let ranges):
            _ = setHidden(cause, isHidden, ranges)
            return true
        case .purge(let ranges): return purge(ranges)
        }
    }
}

/// Several writers of one text and the server that orders what they send. A writer sees a prefix of the server's
/// order and, behind it, what it has not had acknowledged.
struct Writers {
    struct Writer {
        let site: SiteID
        var counter: UInt64 = 0
        var seen = 0
        var confirmed = Text()
        var view = Text()
        var pending: [TextChange] = []
        var sent = 0
    }

    private(set) var log: [(writer: Int?, change: TextChange)] = []
    private(set) var text: Text
    var writers: [Writer]

    init(_ count: Int, start: Text = Text()) {
        text = start
        writers = (0..<count).map { Writer(site: site(UInt64(10 + $0)), confirmed: start, view: start) }
    }

    /// A writer types at an offset of its view; some numbers may be left out.
    mutating func type(_ writer: Int, _ characters: String, at offset: Int, skipping skipped: UInt64 = 0) {
        let (left, right) = writers[writer].view.neighbours(at: offset)
        let first = CharacterID(site: writers[writer].site, counter: writers[writer].counter + 1 + skipped)
        let insertion = TextInsertion(first: first, characters: characters, left: left, right: right)
        writers[writer].counter = first.counter + UInt64(insertion.range.count) - 1
        make(writer, .insert(insertion))
    }

    /// A writer makes a change in its view.
    mutating func make(_ writer: Int, _ change: TextChange) {
        let hasEffect = writers[writer].view.apply(change)
        precondition(hasEffect, "writers make changes that have an effect in their view")
        writers[writer].pending.append(change)
    }

    /// The server orders the next change of a writer, if there is one it has not sent.
    mutating func send(_ writer: Int) -> TextChange? {
        guard writers[writer].sent < writers[writer].pending.count else { return nil }
        let change = writers[writer].pending[writers[writer].sent]
        writers[writer].sent += 1
        let hasEffect = text.apply(change)
        precondition(hasEffect, "what had an effect in the writer's view has one on the server")
        log.append((writer, change))
        return change
    }

    /// The server purges characters between two changes of writers. Returns whether any was hidden.
    mutating func purge(_ ranges: [CharacterRange]) -> Bool {
        log.append((nil, .purge(ranges)))
        return text.purge(ranges)
    }

    /// A writer learns of up to `count` more changes and rebuilds its view.
    mutating func receive(_ writer: Int, _ count: Int) {
        for entry in log[writers[writer].seen...].prefix(count) {
            _ = writers[writer].confirmed.apply(entry.change)
            writers[writer].seen += 1
            if entry.writer == writer {
                writers[writer].pending.removeFirst()
                writers[writer].sent -= 1
            }
        }
        writers[writer].view = writers[writer].confirmed
        for change in writers[writer].pending { _ = writers[writer].view.apply(change) }
    }

    /// Everything is sent, in a random order that keeps each writer's own, and received.
    mutating func settle(_ random: inout SplitMix64) {
        while let writer = writers.indices.filter({ writers[$0].sent < writers[$0].pending.count })
            .randomElement(using: &random)
        { _ = send(writer) }
        for writer in writers.indices { receive(writer, .max) }
    }
}
