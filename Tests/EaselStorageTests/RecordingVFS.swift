import CSQLite
import Foundation
import Synchronization

/// What was done to the files of a database, in order, with what was reported meanwhile.
enum FileEvent: Sendable {
    case write(file: String, offset: Int, bytes: [UInt8])
    case truncate(file: String, size: Int)
    case sync(file: String)
    case delete(file: String, isSynced: Bool)
    /// Everything up to this revision was reported as durable.
    case acknowledged(UInt64)
}

/// A SQLite VFS that works through the system's and notes every change it is asked for. Files are named without their folder.
final class RecordingVFS: Sendable {
    let name: String
    private let recorded = Mutex<[FileEvent]>([])

    var events: [FileEvent] { recorded.withLock { $0 } }

    /// Registers the VFS; it stays registered, for SQLite may still hold it when this value goes.
    init() {
        name = "recording-\(UUID().uuidString)"
        register()
    }

    func add(_ event: FileEvent) {
        recorded.withLock { $0.append(event) }
    }
}

/// A VFS record with what its callbacks need behind it.
private struct RecordingRecord {
    var vfs: sqlite3_vfs
    let original: UnsafeMutablePointer<sqlite3_vfs>
    let owner: Unmanaged<RecordingVFS>
}

/// The method table of one open file, with what its callbacks need behind it.
private struct RecordingMethods {
    var methods: sqlite3_io_methods
    let original: UnsafePointer<sqlite3_io_methods>
    let owner: Unmanaged<RecordingVFS>
    let file: String
}

private func record(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> RecordingRecord? {
    vfs.map { UnsafeRawPointer($0).assumingMemoryBound(to: RecordingRecord.self).pointee }
}

private func table(_ file: UnsafeMutablePointer<sqlite3_file>?) -> RecordingMethods? {
    file?.pointee.pMethods.map { UnsafeRawPointer($0).assumingMemoryBound(to: RecordingMethods.self).pointee }
}

private func lastPart(_ path: UnsafePointer<CChar>) -> String { (String(cString: path) as NSString).lastPathComponent }

extension RecordingVFS {
    private func register() {
        guard let original = sqlite3_vfs_find(nil), let name = strdup(name) else { return }
        let pointer = UnsafeMutablePointer<RecordingRecord>.allocate(capacity: 1)
        pointer.initialize(
            to: RecordingRecord(vfs: original.pointee, original: original, owner: Unmanaged.passRetained(self)))
        pointer.pointee.vfs.zName = UnsafePointer(name)
        pointer.pointee.vfs.pNext = nil
        pointer.pointee.vfs.xOpen = { vfs, path, file, flags, outFlags in
            guard let record = record(vfs) else { return SQLITE_ERROR }
            file?.pointee.pMethods = nil
            let code = record.original.pointee.xOpen(vfs, path, file, flags, outFlags)
            if code == SQLITE_OK, let path {
                record.owner.takeUnretainedValue().replaceMethods(of: file, name: lastPart(path))
            }
            return code
        }
        pointer.pointee.vfs.xDelete = { vfs, path, sync in
            guard let record = record(vfs) else { return SQLITE_ERROR }
            if let path {
                record.owner.takeUnretainedValue().add(.delete(file: lastPart(path), isSynced: sync != 0))
            }
            return record.original.pointee.xDelete(vfs, path, sync)
        }
        sqlite3_vfs_register(UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sqlite3_vfs.self), 0)
    }

    private func replaceMethods(of file: UnsafeMutablePointer<sqlite3_file>?, name: String) {
        guard let file, let original = file.pointee.pMethods else { return }
        let pointer = UnsafeMutablePointer<RecordingMethods>.allocate(capacity: 1)
        pointer.initialize(
            to: RecordingMethods(
                methods: original.pointee, original: original, owner: Unmanaged.passUnretained(self), file: name))
        pointer.pointee.methods.xWrite = { file, bytes, count, offset in
            guard let file, let bytes, let table = table(file) else { return SQLITE_ERROR }
            let content = Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            table.owner.takeUnretainedValue().add(.write(file: table.file, offset: Int(offset), bytes: content))
            return table.original.pointee.xWrite(file, bytes, count, offset)
        }
        pointer.pointee.methods.xSync = { file, _ in
            guard let file, let table = table(file) else { return SQLITE_ERROR }
            // The real disk need not wait: what is on it is decided by the events alone.
            table.owner.takeUnretainedValue().add(.sync(file: table.file))
            return SQLITE_OK
        }
        pointer.pointee.methods.xTruncate = { file, size in
            guard let file, let table = table(file) else { return SQLITE_ERROR }
            table.owner.takeUnretainedValue().add(.truncate(file: table.file, size: Int(size)))
            return table.original.pointee.xTruncate(file, size)
        }
        file.pointee.pMethods = UnsafeRawPointer(pointer).assumingMemoryBound(to: sqlite3_io_methods.self)
    }
}
