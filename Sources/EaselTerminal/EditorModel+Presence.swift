import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol

extension EditorModel {
    /// Tells others what this editor shows, if that has changed. Called once a frame, so that a fast mouse costs one
    /// message a frame.
    func publishPresence() {
        let presence = presence
        if presence != store.presence { store.show(presence) }
    }

    /// What others see of this editor now.
    var presence: Presence {
        var presence = Presence(
            name: store.presence.name,
            pointer: isPointerShown ? pointer.map { Presence.Point(x: $0.x, y: $0.y) } : nil,
            selection: Array(selection.prefix(ProtocolLimits.selectedShapes)))
        if case .text(let view) = mode { presence.caret = Presence.Caret(shape: view.shape, behind: view.anchor) }
        if let gesture {
            presence.preview = gesture.changes.prefix(ProtocolLimits.previewShapes).map { id, changes in
                Presence.Preview(shape: id, properties: Properties(changes))
            }
        }
        return presence
    }
}
