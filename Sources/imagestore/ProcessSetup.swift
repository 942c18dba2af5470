import CSystem
import Glibc

/// What concerns the process as a whole, and is therefore no library's business.
enum ProcessSetup {
    /// Sets locale and signal dispositions.
    static func prepare() {
        // IDN conversion in libcurl reads host names in the locale's encoding. The returned name is not needed: where
        // the locale is missing, names beyond ASCII are refused later, one by one.
        _ = unsafe setlocale(LC_CTYPE, "C.UTF-8")
        // Bodies of images get pages of their own, which go back when they are evicted: with glibc's sliding threshold
        // memory grew 22 % over the cached bytes after churn, with this one 4 %. A refusal costs memory only.
        _ = csystem_map_allocations_above(32 * 1024)
        // A client that leaves is an error of one write, not of the process.
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Sets what only a service needs: signal dispositions and the limit of open files.
    ///
    /// - Returns: the limit in force.
    static func prepareToServe() -> UInt64 {
        // They are to reload and to reopen the log; until then a supervisor that sends them must not end the service.
        for number in [SIGHUP, SIGUSR1] { _ = signal(number, SIG_IGN) }
        return raiseFileLimit()
    }

    /// The soft limit is low for the sake of programs that use `select`; here nothing does.
    private static func raiseFileLimit() -> UInt64 {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return .max }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        return UInt64(unsafe setrlimit(resource, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur)
    }
}
