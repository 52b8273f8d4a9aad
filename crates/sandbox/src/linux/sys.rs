//! Bare calls to the kernel: no allocation, no lock, no panic, so that they may stand between fork
//! and exec.
#![expect(
    unsafe_code,
    reason = "most of these calls have no safe interface that is known not to allocate"
)]

use std::ffi::CStr;
use std::io;
use std::os::fd::RawFd;
use std::ptr;

use libc::{c_int, c_long, c_uint, c_ulong};

/// The kernel's answer as a result. Making the error does not allocate.
pub(super) fn check(answer: c_long) -> io::Result<c_long> {
    if answer < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(answer)
    }
}

/// A new process that goes on here, like `fork`, without the handlers of the C library, which
/// may wait for locks of threads that are no more.
pub(super) fn fork() -> io::Result<c_int> {
    // SAFETY: without CLONE_VM the child has a copy of everything, as after fork.
    let pid = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD as c_long, 0, 0, 0, 0) };
    check(pid).map(|pid| pid as c_int)
}

pub(super) fn exit(code: c_int) -> ! {
    // SAFETY: ends the process at once, without running anything.
    unsafe { libc::_exit(code) }
}

pub(super) fn prctl(option: c_int, value: c_ulong) -> io::Result<()> {
    // SAFETY: the options we use take plain numbers.
    check(unsafe { libc::prctl(option, value, 0, 0, 0) }.into()).map(drop)
}

pub(super) fn set_name(name: &CStr) {
    // SAFETY: the name ends with NUL; the kernel copies at most 16 bytes of it.
    let _ = unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr(), 0, 0, 0) };
}

pub(super) fn lead_session() -> io::Result<()> {
    // SAFETY: takes no pointers.
    check(unsafe { libc::setsid() }.into()).map(drop)
}

/// Makes the terminal on standard input the one that controls this session.
pub(super) fn take_terminal() -> io::Result<()> {
    // SAFETY: TIOCSCTTY takes a number.
    check(unsafe { libc::ioctl(0, libc::TIOCSCTTY as _, 0) }.into()).map(drop)
}

pub(super) fn unshare(flags: c_int) -> io::Result<()> {
    // SAFETY: takes no pointers.
    check(unsafe { libc::unshare(flags) }.into()).map(drop)
}

pub(super) fn chdir(path: &CStr) -> io::Result<()> {
    // SAFETY: the path ends with NUL.
    check(unsafe { libc::chdir(path.as_ptr()) }.into()).map(drop)
}

pub(super) fn set_limit(resource: c_int, most: u64) -> io::Result<()> {
    let limit = libc::rlimit64 {
        rlim_cur: most,
        rlim_max: most,
    };
    // SAFETY: the structure lives through the call, nothing is written back. The bare call takes
    // the number as it is; the C library has a type of its own for it.
    check(unsafe {
        libc::syscall(
            libc::SYS_prlimit64,
            0,
            resource,
            &raw const limit,
            ptr::null::<libc::rlimit64>(),
        )
    })
    .map(drop)
}

/// Writes a few bytes to an existing file, in one call as the files of `/proc` want it.
pub(super) fn write_to(path: &CStr, bytes: &[u8]) -> io::Result<()> {
    // SAFETY: the path ends with NUL, the bytes live through the call.
    unsafe {
        let fd = check(libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC).into())?;
        let written = check(libc::write(fd as c_int, bytes.as_ptr().cast(), bytes.len()) as c_long);
        libc::close(fd as c_int);
        written.map(drop)
    }
}

pub(super) fn write(fd: RawFd, bytes: &[u8]) {
    // SAFETY: the bytes live through the call. Who does not read them has lost interest.
    let _ = unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) };
}

/// The number of bytes read; 0 at the end.
pub(super) fn read(fd: RawFd, bytes: &mut [u8]) -> io::Result<usize> {
    // SAFETY: the buffer is ours and as long as we say.
    let count = unsafe { libc::read(fd, bytes.as_mut_ptr().cast(), bytes.len()) };
    check(count as c_long).map(|count| count as usize)
}

pub(super) fn close(fd: RawFd) {
    // SAFETY: callers close what they opened, once.
    let _ = unsafe { libc::close(fd) };
}

pub(super) fn duplicate(fd: RawFd, to: RawFd) -> io::Result<()> {
    // SAFETY: takes no pointers.
    check(unsafe { libc::dup2(fd, to) }.into()).map(drop)
}

/// Closes everything from `first` on, now or at the next exec.
pub(super) fn close_from(first: c_uint, flags: c_uint) -> io::Result<()> {
    // SAFETY: takes no pointers.
    check(unsafe { libc::syscall(libc::SYS_close_range, first, c_uint::MAX, flags) }).map(drop)
}

pub(super) fn mask_signals(how: c_int) {
    // SAFETY: the set is made whole before it is used; these functions only touch it.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::sigprocmask(how, &raw const all, ptr::null_mut());
    }
}

/// A file that becomes readable when a child has ended. The signal must be blocked.
pub(super) fn watch_children() -> io::Result<RawFd> {
    // SAFETY: the set is made whole before it is used.
    let fd = unsafe {
        let mut children: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut children);
        libc::sigaddset(&raw mut children, libc::SIGCHLD);
        libc::signalfd(-1, &raw const children, libc::SFD_CLOEXEC)
    };
    check(fd.into()).map(|fd| fd as RawFd)
}

/// Waits until one of two files has something to read, or has ended.
pub(super) fn wait_for_either(files: [RawFd; 2]) -> [bool; 2] {
    let mut polled = files.map(|fd| libc::pollfd {
        fd,
        events: libc::POLLIN,
        revents: 0,
    });
    // SAFETY: the array lives through the call and is as long as we say.
    let _ = unsafe { libc::poll(polled.as_mut_ptr(), 2, -1) };
    polled.map(|one| one.revents != 0)
}

/// The next child that has ended, and how. `None` when all that are left still run.
pub(super) fn reap(flags: c_int) -> io::Result<Option<(c_int, c_int)>> {
    let mut status = 0;
    // SAFETY: the status is ours. `__WALL` also finds those that were not started by fork.
    let pid = unsafe { libc::waitpid(-1, &raw mut status, flags | libc::__WALL) };
    check(pid.into()).map(|pid| (pid > 0).then_some((pid as c_int, status)))
}

pub(super) fn kill(pid: c_int, signal: c_int) {
    // SAFETY: takes no pointers. That nobody is there is no failure.
    let _ = unsafe { libc::kill(pid, signal) };
}

pub(super) fn group_of(pid: c_int) -> c_int {
    // SAFETY: takes no pointers.
    unsafe { libc::getpgid(pid) }
}

pub(super) fn user_and_group() -> (u32, u32) {
    // SAFETY: these cannot fail.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

/// Opens a path for naming it only, following no link anywhere on it.
pub(super) fn open_path(path: &CStr) -> io::Result<RawFd> {
    // SAFETY: an all-zero structure is a valid one.
    let mut how: libc::open_how = unsafe { std::mem::zeroed() };
    how.flags = (libc::O_PATH | libc::O_CLOEXEC) as u64;
    how.resolve = libc::RESOLVE_NO_SYMLINKS;
    // SAFETY: path and structure live through the call; the size is that of the structure.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_openat2,
            libc::AT_FDCWD,
            path.as_ptr(),
            &raw const how,
            size_of::<libc::open_how>(),
        )
    };
    check(fd).map(|fd| fd as RawFd)
}

/// Gives up every capability, for this process and all it will ever start.
pub(super) fn drop_capabilities() -> io::Result<()> {
    const VERSION_3: u32 = 0x2008_0522;
    const LAST: c_ulong = 63;
    for capability in 0..=LAST {
        // Without the right to do this there is nothing to take away: no program gives new
        // privileges to a process that has waived them.
        let _ = prctl(libc::PR_CAPBSET_DROP, capability);
    }
    let _ = prctl(
        libc::PR_CAP_AMBIENT,
        libc::PR_CAP_AMBIENT_CLEAR_ALL as c_ulong,
    );
    let header = [VERSION_3, 0];
    let none = [0_u32; 6];
    // SAFETY: the two arrays have the layout of version 3: a header of two numbers, and three
    // sets in two halves each.
    check(unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), none.as_ptr()) }).map(drop)
}

/// Brings up the loopback of a network namespace that is ours.
pub(super) fn raise_loopback() -> io::Result<()> {
    // SAFETY: an all-zero request is a valid one; the name fits and ends with NUL; the kernel
    // reads the request during the call.
    unsafe {
        let socket =
            check(libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0).into())?;
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l' as _;
        request.ifr_name[1] = b'o' as _;
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as _;
        let raised =
            check(libc::ioctl(socket as c_int, libc::SIOCSIFFLAGS as _, &raw const request).into());
        close(socket as RawFd);
        raised.map(drop)
    }
}

pub(super) fn open_for_reading(path: &CStr) -> io::Result<RawFd> {
    // SAFETY: the path ends with NUL.
    let fd = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    check(fd.into()).map(|fd| fd as RawFd)
}
