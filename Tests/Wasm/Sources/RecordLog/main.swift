import EaselCore
import EaselProtocol
import Foundation

/// Writes to standard output what three clients might draw: the same bytes at every run.
let history = History(sites: [7, 1_234_567, SiteID.maximum - 1].compactMap { SiteID($0) })
FileHandle.standardOutput.write(Data(history.log(commits: 400)))
