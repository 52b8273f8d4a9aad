//! What this system can do to confine a command. Looked up when first asked, and then known.

use std::sync::OnceLock;

use crate::Backend;

/// The means of confinement that work here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Support {
    /// The version of Landlock, 0 for none.
    pub landlock_abi: i32,
    /// Whether system calls can be filtered.
    pub seccomp: bool,
    /// Whether we get user, mount, process and network namespaces of our own.
    pub namespaces: bool,
    /// Whether macOS encloses a command for us.
    pub seatbelt: bool,
    /// What does not work, each with its reason: for people.
    pub missing: Vec<String>,
}

impl Support {
    /// The strongest means, by the name that reports use.
    pub fn kind(&self) -> &'static str {
        match self.strongest(Backend::Strongest) {
            Some(Means::Namespaces) => "linux-namespaces",
            Some(Means::Landlock) => "linux-landlock",
            Some(Means::Seatbelt) => "macos-seatbelt",
            None => "none",
        }
    }

    /// Whether a command can be confined at all.
    pub fn is_available(&self) -> bool {
        self.strongest(Backend::Strongest).is_some()
    }

    /// Whether something protected can lie in a writable place without closing what is around it:
    /// whether a commit works while its hooks stay as they are.
    pub fn is_fine_grained(&self) -> bool {
        matches!(
            self.strongest(Backend::Strongest),
            Some(Means::Namespaces | Means::Seatbelt)
        )
    }

    fn strongest(&self, backend: Backend) -> Option<Means> {
        let wanted = backend == Backend::Strongest;
        if self.seatbelt {
            Some(Means::Seatbelt)
        } else if self.seccomp && self.namespaces && wanted {
            Some(Means::Namespaces)
        } else if self.seccomp && self.landlock_abi >= LANDLOCK_ABI_LEAST {
            Some(Means::Landlock)
        } else {
            None
        }
    }
}

/// Before this version any file could be emptied.
const LANDLOCK_ABI_LEAST: i32 = 3;

/// From this version on, signals and nameless sockets stay inside.
const LANDLOCK_ABI_SCOPES: i32 = 6;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Means {
    Namespaces,
    Landlock,
    Seatbelt,
}

/// What this system can do. The first call tries it out, which takes some milliseconds.
pub fn probe() -> &'static Support {
    static SUPPORT: OnceLock<Support> = OnceLock::new();
    SUPPORT.get_or_init(look)
}

/// The means for a confinement, or why there are none.
pub(crate) fn means(backend: Backend) -> Result<Means, String> {
    let support = probe();
    support
        .strongest(backend)
        .ok_or_else(|| support.missing.join("; "))
}

#[cfg(target_os = "linux")]
fn look() -> Support {
    let tried = crate::processes::try_enclosure();
    let namespaces = tried.is_ok();
    judged(
        crate::linux::landlock_abi(),
        crate::linux::seccomp_is_available(),
        namespaces,
        tried.err(),
    )
}

#[cfg(target_os = "linux")]
fn judged(landlock_abi: i32, seccomp: bool, namespaces: bool, why: Option<String>) -> Support {
    let mut missing = Vec::new();
    if !seccomp {
        missing.push("the kernel cannot filter system calls (seccomp)".to_owned());
    }
    if let Some(why) = why {
        missing.push(format!(
            "no namespaces: {why}; a repository is then read-only as a whole, and new files at the \
             top of the workspace have to ask"
        ));
    }
    if landlock_abi == 0 {
        missing
            .push("the kernel has no Landlock, or it is switched off at boot (`lsm=`)".to_owned());
    } else if landlock_abi < LANDLOCK_ABI_LEAST {
        missing.push(format!(
            "Landlock {landlock_abi} is too old to stand alone; it takes {LANDLOCK_ABI_LEAST}, \
             which Linux has from 6.2 on"
        ));
    } else if landlock_abi < LANDLOCK_ABI_SCOPES {
        missing.push(format!(
            "Landlock {landlock_abi} lets signals and nameless sockets out; Linux closes them from \
             6.12 on"
        ));
    }
    Support {
        landlock_abi,
        seccomp,
        namespaces,
        seatbelt: false,
        missing,
    }
}

#[cfg(not(target_os = "linux"))]
fn look() -> Support {
    let seatbelt =
        cfg!(target_os = "macos") && std::path::Path::new(crate::seatbelt::PROGRAM).exists();
    let missing = if seatbelt {
        Vec::new()
    } else {
        vec!["this system has no means of confinement that we know".to_owned()]
    };
    Support {
        landlock_abi: 0,
        seccomp: false,
        namespaces: false,
        seatbelt,
        missing,
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn check(support: Support, kind: &str, missing: usize) {
        assert_eq!((support.kind(), support.missing.len()), (kind, missing));
        assert_eq!(support.is_available(), kind != "none");
    }

    #[test]
    fn the_strongest_means_that_works_is_taken_and_the_rest_is_told() {
        let refused = || Some("refused".to_owned());
        check(judged(7, true, true, None), "linux-namespaces", 0);
        check(judged(0, true, true, None), "linux-namespaces", 1);
        check(judged(7, true, false, refused()), "linux-landlock", 1);
        check(judged(4, true, false, refused()), "linux-landlock", 2);
        check(judged(2, true, false, refused()), "none", 2);
        check(judged(7, false, true, None), "none", 1);
        check(judged(0, false, false, refused()), "none", 3);
    }

    #[test]
    fn only_fine_walls_let_a_commit_through() {
        assert!(judged(7, true, true, None).is_fine_grained());
        assert!(!judged(7, true, false, None).is_fine_grained());
    }

    #[test]
    fn the_same_system_gives_the_same_answer() {
        assert_eq!(probe(), probe());
    }
}
