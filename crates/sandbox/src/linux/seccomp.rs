//! The filter of system calls: what no confined command may ask of the kernel.
//!
//! The filter names what is closed and lets the rest pass: a list of what is open would break
//! programs with each new kernel. What is closed lets a process reach into others, change mounts
//! and namespaces, run code in the kernel, or has been the way out of other sandboxes. Calls
//! by another kind of machine code than ours, which have other numbers, are not let through at all.
#![expect(unsafe_code, reason = "the filter is installed by a bare call")]

use std::io;

use libc::{c_long, sock_filter, sock_fprog};

use super::sys;

/// A filter, ready to be installed.
pub(super) struct Filter(Vec<sock_filter>);

/// What a command may do with sockets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sockets {
    /// Speak to other machines and to programs on this one.
    Internet,
    /// Only pairs between its own processes, and those it listens on.
    Pairs,
}

/// Whether the kernel has filters, and we know its numbers.
pub(crate) fn is_available() -> bool {
    const GET_ACTION_AVAIL: c_long = 2;
    let action = libc::SECCOMP_RET_ERRNO;
    // SAFETY: the kernel reads one number during the call.
    let answer =
        unsafe { libc::syscall(libc::SYS_seccomp, GET_ACTION_AVAIL, 0, &raw const action) };
    ARCHITECTURE.is_some() && answer == 0
}

impl Filter {
    pub(super) fn new(sockets: Sockets) -> Option<Self> {
        let mut program = Program::default();
        program.check_architecture(ARCHITECTURE?);
        for call in CLOSED.iter().chain(CLOSED_HERE) {
            program.refuse(*call, libc::EPERM);
        }
        // Its flags lie in memory that a filter cannot read; the C library goes back to `clone`.
        program.refuse(libc::SYS_clone3, libc::ENOSYS);
        program.refuse_with_bits(libc::SYS_clone, 0, NAMESPACE_FLAGS);
        for request in TERMINAL_REQUESTS {
            program.refuse_with(libc::SYS_ioctl, 1, *request);
        }
        // Limits of itself, which is process 0 to itself; not those of others.
        program.refuse_without(libc::SYS_prlimit64, 0, &[0]);
        match sockets {
            Sockets::Internet => program.refuse_without(
                libc::SYS_socket,
                0,
                &[
                    libc::AF_UNIX as u32,
                    libc::AF_INET as u32,
                    libc::AF_INET6 as u32,
                    libc::AF_NETLINK as u32,
                ],
            ),
            Sockets::Pairs => {
                let local = [libc::AF_UNIX as u32, libc::AF_NETLINK as u32];
                program.refuse_without(libc::SYS_socket, 0, &local);
                program.refuse(libc::SYS_connect, libc::EPERM);
            }
        }
        program.refuse_without(libc::SYS_socketpair, 0, &[libc::AF_UNIX as u32]);
        program.allow();
        Some(Self(program.0))
    }

    /// Puts the filter over this process. Between fork and exec: nothing here allocates.
    pub(super) fn install(&self) -> io::Result<()> {
        const SET_MODE_FILTER: c_long = 1;
        let program = sock_fprog {
            len: self.0.len() as u16,
            filter: self.0.as_ptr().cast_mut(),
        };
        // SAFETY: the program lives through the call, and the kernel only reads it.
        let answer =
            unsafe { libc::syscall(libc::SYS_seccomp, SET_MODE_FILTER, 0, &raw const program) };
        sys::check(answer).map(drop)
    }
}

const ARCHITECTURE: Option<u32> = if cfg!(target_arch = "x86_64") {
    Some(0xC000_003E)
} else if cfg!(target_arch = "aarch64") {
    Some(0xC000_00B7)
} else {
    None
};

/// The bit by which x86-64 tells calls of its 32-bit relative.
const FOREIGN_CALLS: u32 = 0x4000_0000;

/// New namespaces of every kind that `clone` can make.
const NAMESPACE_FLAGS: u32 = 0x7E02_0000;

/// Typing into a terminal as if the user did: TIOCSTI, and the console's TIOCLINUX.
const TERMINAL_REQUESTS: &[u32] = &[0x5412, 0x541C];

#[rustfmt::skip]
const CLOSED: &[c_long] = &[
    // Other processes.
    libc::SYS_ptrace, libc::SYS_process_vm_readv, libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd, libc::SYS_kcmp, libc::SYS_process_madvise,
    // Mounts and namespaces.
    libc::SYS_mount, libc::SYS_umount2, libc::SYS_pivot_root, libc::SYS_chroot,
    libc::SYS_open_tree, libc::SYS_move_mount, libc::SYS_fsopen, libc::SYS_fsconfig,
    libc::SYS_fsmount, libc::SYS_fspick, libc::SYS_mount_setattr, SYS_OPEN_TREE_ATTR,
    libc::SYS_unshare, libc::SYS_setns,
    // Files by handles instead of paths.
    libc::SYS_open_by_handle_at,
    // Keys of the session.
    libc::SYS_keyctl, libc::SYS_add_key, libc::SYS_request_key,
    // Code in the kernel, and calls that go around this filter.
    libc::SYS_bpf, libc::SYS_perf_event_open, libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register,
    libc::SYS_init_module, libc::SYS_finit_module, libc::SYS_delete_module,
    libc::SYS_kexec_load,
    // The machine as a whole.
    libc::SYS_reboot, libc::SYS_swapon, libc::SYS_swapoff, libc::SYS_syslog, libc::SYS_acct,
    libc::SYS_quotactl, libc::SYS_quotactl_fd, libc::SYS_settimeofday, libc::SYS_clock_settime,
    libc::SYS_clock_adjtime, libc::SYS_adjtimex, libc::SYS_sethostname, libc::SYS_setdomainname,
    libc::SYS_vhangup, libc::SYS_fanotify_init, libc::SYS_nfsservctl, libc::SYS_lookup_dcookie,
];

/// Newer than the tables of the C library.
const SYS_OPEN_TREE_ATTR: c_long = 467;

#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const CLOSED_HERE: &[c_long] = &[
    libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_modify_ldt, libc::SYS_kexec_file_load,
    libc::SYS_uselib, libc::SYS__sysctl,
];
#[cfg(not(target_arch = "x86_64"))]
const CLOSED_HERE: &[c_long] = &[294];

/// A program for the kernel's packet filter machine: load a number, compare, jump, return.
#[derive(Default)]
struct Program(Vec<sock_filter>);

const CALL_AT: u32 = 0;
const ARCHITECTURE_AT: u32 = 4;
const ARGUMENTS_AT: u32 = 16;

const LOAD: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_AT_LEAST: u16 = 0x35;
const JUMP_IF_BITS: u16 = 0x45;
const RETURN: u16 = 0x06;

impl Program {
    fn push(&mut self, code: u16, k: u32, jt: u8, jf: u8) {
        self.0.push(sock_filter { code, jt, jf, k });
    }

    fn refusal(&mut self, error: i32) {
        self.push(RETURN, libc::SECCOMP_RET_ERRNO | error as u32, 0, 0);
    }

    fn allow(&mut self) {
        self.push(RETURN, libc::SECCOMP_RET_ALLOW, 0, 0);
    }

    fn check_architecture(&mut self, architecture: u32) {
        self.push(LOAD, ARCHITECTURE_AT, 0, 0);
        self.push(JUMP_IF_EQUAL, architecture, 1, 0);
        self.push(RETURN, libc::SECCOMP_RET_KILL_PROCESS, 0, 0);
        self.push(LOAD, CALL_AT, 0, 0);
        self.push(JUMP_IF_AT_LEAST, FOREIGN_CALLS, 0, 1);
        self.refusal(libc::ENOSYS);
    }

    fn refuse(&mut self, call: c_long, error: i32) {
        self.push(JUMP_IF_EQUAL, call as u32, 0, 1);
        self.refusal(error);
    }

    /// Loads the low half of an argument, for this call only. All that follows up to the next load
    /// of the call's number has `length` instructions.
    fn on_argument(&mut self, call: c_long, argument: u32, length: u8) {
        self.push(JUMP_IF_EQUAL, call as u32, 0, length + 2);
        self.push(LOAD, ARGUMENTS_AT + 8 * argument, 0, 0);
    }

    fn refuse_with(&mut self, call: c_long, argument: u32, value: u32) {
        self.on_argument(call, argument, 2);
        self.push(JUMP_IF_EQUAL, value, 0, 1);
        self.refusal(libc::EPERM);
        self.push(LOAD, CALL_AT, 0, 0);
    }

    fn refuse_with_bits(&mut self, call: c_long, argument: u32, bits: u32) {
        self.on_argument(call, argument, 2);
        self.push(JUMP_IF_BITS, bits, 0, 1);
        self.refusal(libc::EPERM);
        self.push(LOAD, CALL_AT, 0, 0);
    }

    fn refuse_without(&mut self, call: c_long, argument: u32, values: &[u32]) {
        let count = values.len() as u8;
        self.on_argument(call, argument, count + 1);
        for (index, value) in (0..).zip(values) {
            self.push(JUMP_IF_EQUAL, *value, count - index, 0);
        }
        self.refusal(libc::EACCES);
        self.push(LOAD, CALL_AT, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the program answers to a call, by walking it as the kernel does.
    fn answer(sockets: Sockets, architecture: u32, call: c_long, arguments: [u64; 2]) -> u32 {
        let Filter(program) = Filter::new(sockets).expect("this machine is known");
        let mut accumulator = 0;
        let mut at = 0;
        loop {
            let step = program[at];
            at += 1;
            let jump = |holds: bool| usize::from(if holds { step.jt } else { step.jf });
            match step.code {
                LOAD => {
                    accumulator = match step.k {
                        CALL_AT => call as u32,
                        ARCHITECTURE_AT => architecture,
                        16 => arguments[0] as u32,
                        24 => arguments[1] as u32,
                        other => panic!("no such field: {other}"),
                    }
                }
                JUMP_IF_EQUAL => at += jump(accumulator == step.k),
                JUMP_IF_AT_LEAST => at += jump(accumulator >= step.k),
                JUMP_IF_BITS => at += jump(accumulator & step.k != 0),
                RETURN => return step.k,
                other => panic!("no such instruction: {other}"),
            }
        }
    }

    fn here(sockets: Sockets, call: c_long, arguments: [u64; 2]) -> u32 {
        answer(sockets, ARCHITECTURE.expect("known"), call, arguments)
    }

    const ALLOWED: u32 = libc::SECCOMP_RET_ALLOW;
    const REFUSED: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
    const NO_FAMILY: u32 = libc::SECCOMP_RET_ERRNO | libc::EACCES as u32;
    const UNKNOWN: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;

    #[test]
    fn every_closed_call_is_refused_and_ordinary_ones_pass() {
        for sockets in [Sockets::Internet, Sockets::Pairs] {
            for call in CLOSED.iter().chain(CLOSED_HERE) {
                assert_eq!(here(sockets, *call, [0, 0]), REFUSED, "call {call}");
            }
            for call in [
                libc::SYS_read,
                libc::SYS_execve,
                libc::SYS_openat,
                libc::SYS_kill,
            ] {
                assert_eq!(here(sockets, call, [u64::MAX, u64::MAX]), ALLOWED);
            }
        }
    }

    #[test]
    fn foreign_machine_code_does_not_get_around_the_numbers() {
        let killed = libc::SECCOMP_RET_KILL_PROCESS;
        assert_eq!(answer(Sockets::Pairs, 0x4000_0003, 0, [0, 0]), killed);
        let foreign = libc::SYS_ptrace | 0x4000_0000;
        assert_eq!(here(Sockets::Pairs, foreign, [0, 0]), UNKNOWN);
    }

    #[test]
    fn sockets_are_open_by_family() {
        let socket = |sockets, family: i32| here(sockets, libc::SYS_socket, [family as u64, 0]);
        for family in [libc::AF_INET, libc::AF_INET6] {
            assert_eq!(socket(Sockets::Internet, family), ALLOWED);
            assert_eq!(socket(Sockets::Pairs, family), NO_FAMILY);
        }
        for family in [
            libc::AF_PACKET,
            libc::AF_VSOCK,
            libc::AF_ALG,
            libc::AF_BLUETOOTH,
        ] {
            assert_eq!(socket(Sockets::Internet, family), NO_FAMILY);
            assert_eq!(socket(Sockets::Pairs, family), NO_FAMILY);
        }
        assert_eq!(socket(Sockets::Pairs, libc::AF_UNIX), ALLOWED);
        assert_eq!(here(Sockets::Pairs, libc::SYS_connect, [0, 0]), REFUSED);
        assert_eq!(here(Sockets::Internet, libc::SYS_connect, [0, 0]), ALLOWED);
    }

    #[test]
    fn new_processes_are_open_and_new_namespaces_are_not() {
        let clone = |flags: u64| here(Sockets::Internet, libc::SYS_clone, [flags, 0]);
        assert_eq!(clone(libc::SIGCHLD as u64), ALLOWED);
        assert_eq!(clone((libc::CLONE_VM | libc::CLONE_THREAD) as u64), ALLOWED);
        for flag in [
            libc::CLONE_NEWUSER,
            libc::CLONE_NEWNS,
            libc::CLONE_NEWPID,
            libc::CLONE_NEWNET,
            libc::CLONE_NEWIPC,
            libc::CLONE_NEWUTS,
            libc::CLONE_NEWCGROUP,
        ] {
            assert_eq!(clone(flag as u64), REFUSED);
        }
        assert_eq!(here(Sockets::Internet, libc::SYS_clone3, [0, 0]), UNKNOWN);
    }

    #[test]
    fn limits_are_set_for_oneself_only() {
        let limit = |pid| here(Sockets::Internet, libc::SYS_prlimit64, [pid, 0]);
        assert_eq!((limit(0), limit(1)), (ALLOWED, NO_FAMILY));
    }

    #[test]
    fn nobody_types_into_a_terminal_for_the_user() {
        let ioctl = |request| here(Sockets::Internet, libc::SYS_ioctl, [0, request]);
        assert_eq!(ioctl(0x5412), REFUSED);
        assert_eq!(ioctl(0xFFFF_FFFF_0000_5412), REFUSED);
        assert_eq!(ioctl(0x541C), REFUSED);
        assert_eq!(ioctl(0x5413), ALLOWED);
    }
}
