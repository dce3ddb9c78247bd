import EaselCore

extension CBOREncoder {
    /// Writes the five fields of presence, without a head. A pointer that is not finite is left out.
    mutating func presenceFields(_ presence: Presence) {
        text(presence.name)
        if let pointer = presence.pointer, let x = Value.number(pointer.x), let y = Value.number(pointer.y) {
            array(2)
            value(x)
            value(y)
        } else {
            null()
        }
        array(presence.selection.count)
        for id in presence.selection { shapeID(id) }
        if let caret = presence.caret {
            array(2)
            shapeID(caret.shape)
            optionalCharacterID(caret.behind)
        } else {
            null()
        }
        array(presence.preview.count)
        for preview in presence.preview {
            array(2)
            shapeID(preview.shape)
            properties(preview.properties)
        }
    }
}

extension CBORDecoder {
    mutating func presenceFields() throws(DecodingError) -> Presence {
        let name = try name()
        var pointer: Presence.Point?
        if !null() {
            try fields(2)
            pointer = Presence.Point(x: try number(), y: try number())
        }
        let selection = try list(atMost: ProtocolLimits.selectedShapes) { decoder throws(DecodingError) in
            try decoder.shapeID()
        }
        var caret: Presence.Caret?
        if !null() {
            try fields(2)
            caret = Presence.Caret(shape: try shapeID(), behind: try optionalCharacterID())
        }
        let preview = try list(atMost: ProtocolLimits.previewShapes) { decoder throws(DecodingError) in
            try decoder.fields(2)
            return Presence.Preview(shape: try decoder.shapeID(), properties: try decoder.properties())
        }
        return Presence(name: name, pointer: pointer, selection: selection, caret: caret, preview: preview)
    }
}
