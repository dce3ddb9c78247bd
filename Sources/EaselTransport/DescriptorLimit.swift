import Glibc

/// How many descriptors, and so how many connections, the process may have.
public enum DescriptorLimit {
    /// Sets the process's limit to what a server wants, as far as the system allows, and returns the limit in force.
    ///
    /// Call it before the first loop is made, because each loop reserves its tables by this limit. It also lowers a limit
    /// that is set to a huge number, as some container runtimes do.
    @discardableResult
    public static func apply() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        var wanted = limit
        wanted.rlim_cur = min(limit.rlim_max, TransportLimits.descriptors)
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &wanted) == 0 else { return Int(limit.rlim_cur) }
        return Int(wanted.rlim_cur)
    }
}
