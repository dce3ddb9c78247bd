/// The version of this program.
public enum EaselVersion {
    /// By semantic versioning, see CHANGELOG.md.
    public static let current = "0.1.0"
}
