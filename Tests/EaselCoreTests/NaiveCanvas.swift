@testable import EaselCore

/// A canvas as a dictionary, with each operation's effect written down plainly: the oracle for `Canvas`.
struct NaiveCanvas {
    struct Item {
        let kind: String
        var parent: ShapeID?
        var order: OrderKey
        var properties: [PropertyKey: Value]
        var text = NaiveText()
        var causes: HiddenCauses = []
    }

    private(set) var items: [ShapeID: Item] = [:]

    var contents: [Contents.Item] {
        items.map { id, item in
            Contents.Item(
                id: id, kind: item.kind, parent: item.parent, order: item.order,
                properties: Properties(item.properties.map { ($0.key, $0.value) }), text: item.text.signs,
                causes: item.causes)
        }.sorted { $0.id < $1.id }
    }

    func children(of parent: ShapeID?) -> [ShapeID] {
        items.filter { $0.value.parent == parent }.keys.sorted {
            let left = items[$0]?.order.rawValue ?? ""
            let right = items[$1]?.order.rawValue ?? ""
            return left == right ? $0 < $1 : left.utf8.lexicographicallyPrecedes(right.utf8)
        }
    }

    func livingParent(of id: ShapeID) -> ShapeID? {
        guard let parent = items[id]?.parent else { return nil }
        return items[parent]?.causes.isEmpty == true ? parent : livingParent(of: parent)
    }

    func visibleChildren(of parent: ShapeID?) -> [ShapeID] {
        children(of: parent).flatMap { items[$0]?.causes.isEmpty == true ? [$0] : visibleChildren(of: $0) }
    }

    func visibleShapes(in parent: ShapeID?) -> [ShapeID] {
        children(of: parent).flatMap { (items[$0]?.causes.isEmpty == true ? [$0] : []) + visibleShapes(in: $0) }
    }

    /// Applies an operation; false if it has no effect.
    mutating func apply(_ operation: Operation) -> Bool {
        switch operation {
        case .create(let creation): return create(creation)
        case .set(let id, let changes):
            guard var item = items[id] else { return false }
            for change in changes { item.properties[change.key] = change.value }
            guard item.properties.count <= Limits.propertiesPerShape else { return false }
            items[id] = item
            return true
        case .place(let id, let placement): return place(id, placement)
        case .hide(let cause, let targets): return setHidden(cause, true, targets)
        case .show(let cause, let targets): return setHidden(cause, false, targets)
        case .insertText(let id, let insertion): return items[id]?.text.insert(insertion) ?? false
        case .purge(.shapes(let ids)): return purge(ids)
        case .purge(.characters(let id, let ranges)): return items[id]?.text.purge(ranges) ?? false
        }
    }

    /// Takes away, one after the other, what is named, hidden and empty, until there is no such shape left; but only what goes
    /// with everything that is in it.
    private mutating func purge(_ ids: [ShapeID]) -> Bool {
        let gone = Set(ids).filter { canGo($0, with: ids) }
        for id in gone { items[id] = nil }
        return !gone.isEmpty
    }

    private func canGo(_ id: ShapeID, with ids: [ShapeID]) -> Bool {
        guard let item = items[id], !item.causes.isEmpty, ids.contains(id) else { return false }
        return children(of: id).allSatisfy { canGo($0, with: ids) }
    }

    private mutating func create(_ creation: Creation) -> Bool {
        guard items[creation.id] == nil, creation.parent.map({ items[$0] != nil }) ?? true else { return false }
        var item = Item(
            kind: creation.kind, parent: creation.parent, order: creation.order,
            properties: Dictionary(uniqueKeysWithValues: creation.properties.map { ($0.key, $0.value) }))
        if let text = creation.text { _ = item.text.insert(text) }
        items[creation.id] = item
        return true
    }

    private mutating func place(_ id: ShapeID, _ placement: Placement) -> Bool {
        guard items[id] != nil else { return false }
        if let parent = placement.parent {
            var next = parent.id
            while let ancestor = next {
                guard ancestor != id, let item = items[ancestor] else { return false }
                next = item.parent
            }
            items[id]?.parent = parent.id
        }
        if let order = placement.order { items[id]?.order = order }
        return true
    }

    private mutating func setHidden(_ cause: HiddenCause, _ isHidden: Bool, _ targets: Targets) -> Bool {
        switch targets {
        case .shapes(let ids):
            for id in ids {
                guard var item = items[id] else { continue }
                item.causes = item.causes.with(cause, isHidden)
                items[id] = item
            }
            return ids.contains { items[$0] != nil }
        case .characters(let id, let ranges):
            return items[id]?.text.setHidden(cause, isHidden, ranges).existing.isEmpty == false
        }
    }
}
