import CSQLite
import Foundation
import Synchronization

/// SQLite's extended result codes for failed file operations, which its header writes as expressions Swift does not import.
enum IOFault {
    static let write = SQLITE_IOERR | 3 << 8
    static let sync = SQLITE_IOERR | 4 << 8
    static let truncate = SQLITE_IOERR | 6 << 8
    static let delete = SQLITE_IOERR | 10 << 8
}

/// A SQLite VFS that does its work through the system's, and can fail any write, sync, cut, open or delete on request.
///
/// A sync copies the file to `disk` in place of waiting for the real one. So `disk` is what a power cut now would leave.
final class FaultyVFS: Sendable {
    /// What the next file operations meet.
    enum Fault: Sendable {
        case none
        /// The operation number `after` (from 1) fails, and all later ones too if `forever`.
        case operation(after: Int, forever: Bool, code: Int32)
        /// Every write fails as on a full disk that copies on write.
        case fullDisk
        /// Writes go on, but no sync succeeds.
        case failingSyncs
    }

    fileprivate enum Operation {
        case write
        case sync
        case other
    }

    private struct State {
        var fault = Fault.none
        var operations = 0
    }

    let name: String
    let disk: String
    private let state = Mutex(State())

    /// Registers the VFS; it stays registered, for SQLite may still hold it when this value goes.
    init(disk: String) {
        name = "faulty-\(UUID().uuidString)"
        self.disk = disk
        register()
    }

    var fault: Fault {
        get { state.withLock { $0.fault } }
        set {
            state.withLock {
                $0.fault = newValue
                $0.operations = 0
            }
        }
    }

    /// Whether the operation that `fault` names has been reached.
    var isReached: Bool {
        state.withLock { state in
            guard case .operation(let after, _, _) = state.fault else { return false }
            return state.operations >= after
        }
    }

    /// The code an operation must fail with now; nil if it may go on.
    fileprivate func verdict(_ kind: Operation) -> Int32? {
        state.withLock { state in
            state.operations += 1
            switch state.fault {
            case .none: return nil
            case .operation(let after, let forever, let code):
                return state.operations == after || forever && state.operations > after ? code : nil
            case .fullDisk: return kind == .write ? SQLITE_FULL : nil
            case .failingSyncs: return kind == .sync ? IOFault.sync : nil
            }
        }
    }

    fileprivate func keepSynced(_ path: String) {
        let target = disk + "/" + (path as NSString).lastPathComponent
        try? FileManager.default.removeItem(atPath: target)
        try? FileManager.default.copyItem(atPath: path, toPath: target)
    }

    fileprivate func forget(_ path: String) {
        try? FileManager.default.removeItem(atPath: disk + "/" + (path as NSString).lastPathComponent)
    }
}

/// A VFS record with what its callbacks need behind it.
private struct ExtendedVFS {
    var vfs: sqlite3_vfs
    let original: UnsafeMutablePointer<sqlite3_vfs>
    let owner: Unmanaged<FaultyVFS>
}

/// The method table of one open file, with what its callbacks need behind it.
private struct ExtendedMethods {
    var methods: sqlite3_io_methods
    let original: UnsafePointer<sqlite3_io_methods>
    let owner: Unmanaged<FaultyVFS>
    let path: String
}

private func extended(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> ExtendedVFS? {
    vfs.map { UnsafeRawPointer($0).assumingMemoryBound(to: ExtendedVFS.self).pointee }
}

private func extended(_ file: UnsafeMutablePointer<sqlite3_file>?) -> ExtendedMethods? {
    file?.pointee.pMethods.map { UnsafeRawPointer($0).assumingMemoryBound(to: ExtendedMethods.self).pointee }
}

extension FaultyVFS {
    private func register() {
        guard let original = sqlite3_vfs_find(nil), let name = strdup(name) else { return }
        let record = UnsafeMutablePointer<ExtendedVFS>.allocate(capacity: 1)
        record.initialize(
            to: ExtendedVFS(vfs: original.pointee, original: original, owner: Unmanaged.passRetained(self)))
        record.pointee.vfs.zName = UnsafePointer(name)
        record.pointee.vfs.pNext = nil
        record.pointee.vfs.xOpen = { vfs, path, file, flags, outFlags in
            guard let record = extended(vfs) else { return SQLITE_ERROR }
            let owner = record.owner.takeUnretainedValue()
            file?.pointee.pMethods = nil
            if owner.verdict(.other) != nil { return SQLITE_CANTOPEN }
            let code = record.original.pointee.xOpen(vfs, path, file, flags, outFlags)
            if code == SQLITE_OK, let path { owner.replaceMethods(of: file, path: String(cString: path)) }
            return code
        }
        record.pointee.vfs.xDelete = { vfs, path, sync in
            guard let record = extended(vfs) else { return SQLITE_ERROR }
            let owner = record.owner.takeUnretainedValue()
            if owner.verdict(.other) != nil { return IOFault.delete }
            if let path { owner.forget(String(cString: path)) }
            return record.original.pointee.xDelete(vfs, path, sync)
        }
        let vfs = UnsafeMutableRawPointer(record).assumingMemoryBound(to: sqlite3_vfs.self)
        sqlite3_vfs_register(vfs, 0)
    }

    private func replaceMethods(of file: UnsafeMutablePointer<sqlite3_file>?, path: String) {
        guard let file, let original = file.pointee.pMethods else { return }
        let table = UnsafeMutablePointer<ExtendedMethods>.allocate(capacity: 1)
        table.initialize(
            to: ExtendedMethods(
                methods: original.pointee, original: original, owner: Unmanaged.passUnretained(self), path: path))
        table.pointee.methods.xWrite = { file, bytes, count, offset in
            guard let file, let table = extended(file) else { return SQLITE_ERROR }
            if let code = table.owner.takeUnretainedValue().verdict(.write) { return code }
            return table.original.pointee.xWrite(file, bytes, count, offset)
        }
        table.pointee.methods.xSync = { file, _ in
            guard let file, let table = extended(file) else { return SQLITE_ERROR }
            let owner = table.owner.takeUnretainedValue()
            if owner.verdict(.sync) != nil { return IOFault.sync }
            owner.keepSynced(table.path)
            return SQLITE_OK
        }
        table.pointee.methods.xTruncate = { file, size in
            guard let file, let table = extended(file) else { return SQLITE_ERROR }
            if table.owner.takeUnretainedValue().verdict(.other) != nil { return IOFault.truncate }
            return table.original.pointee.xTruncate(file, size)
        }
        file.pointee.pMethods = UnsafeRawPointer(table).assumingMemoryBound(to: sqlite3_io_methods.self)
    }
}
