//! Tries to get out. Each case prints `ESCAPED` when it got what it must not get, and the lab looks
//! itself whether anything guarded has changed. Every case runs with namespaces and without.

use std::fs;

use crate::lab::{Lab, SECRET};
use codewhale_sandbox::{Terminal, Walls, probe, run};
use tokio_util::sync::CancellationToken;

/// Tries every script in both kinds of walls.
#[expect(
    clippy::print_stdout,
    reason = "how much was tried is part of the answer"
)]
pub(crate) async fn refused(scripts: &[&str]) {
    for lab in [Lab::new(), Lab::without_namespaces()] {
        for script in scripts {
            lab.refuses(script).await;
        }
    }
    println!("{} escapes tried in 2 kinds of walls", scripts.len());
}

pub(crate) fn python(code: &str) -> String {
    format!("python3 -S - <<'END'\n{code}\nEND")
}

/// A bare call to the kernel; `ESCAPED` when it does not fail.
fn call(number: libc_numbers::Call, arguments: &str) -> String {
    let number = number.0;
    python(&format!(
        "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n\
         r = libc.syscall({number}, {arguments})\n\
         print('ESCAPED' if r >= 0 else os.strerror(ctypes.get_errno()))"
    ))
}

/// Numbers of system calls, which a test in Python has to know.
mod libc_numbers {
    #[derive(Clone, Copy)]
    pub(super) struct Call(pub(super) i32);
    const fn of(x86: i32, arm: i32) -> Call {
        Call(if cfg!(target_arch = "x86_64") {
            x86
        } else {
            arm
        })
    }
    pub(super) const PTRACE: Call = of(101, 117);
    pub(super) const VM_READ: Call = of(310, 270);
    pub(super) const UNSHARE: Call = of(272, 97);
    pub(super) const MOUNT: Call = of(165, 40);
    pub(super) const CHROOT: Call = of(161, 51);
    pub(super) const SETNS: Call = of(308, 268);
    pub(super) const KEYCTL: Call = of(250, 219);
    pub(super) const BPF: Call = of(321, 280);
    pub(super) const PERF: Call = of(298, 241);
    pub(super) const USERFAULT: Call = of(323, 282);
    pub(super) const URING: Call = Call(425);
    pub(super) const OPEN_TREE: Call = Call(428);
    pub(super) const MOVE_MOUNT: Call = Call(429);
    pub(super) const SETATTR: Call = Call(442);
    pub(super) const PIDFD_GETFD: Call = Call(438);
    pub(super) const CLONE3: Call = Call(435);
    pub(super) const HANDLE: Call = of(304, 265);
}

#[tokio::test]
async fn nothing_outside_is_written() {
    refused(&[
        "echo x > $OUTSIDE/file && echo ESCAPED",
        "echo x >> $OUTSIDE/file && echo ESCAPED",
        "touch $OUTSIDE/new && echo ESCAPED",
        "mkdir $OUTSIDE/new && echo ESCAPED",
        "rm -f $OUTSIDE/file; test -e $OUTSIDE/file || echo ESCAPED",
        "mv $OUTSIDE/file . && echo ESCAPED",
        "mv $OUTSIDE/file $OUTSIDE/other && echo ESCAPED",
        "truncate -s 0 $OUTSIDE/file && echo ESCAPED",
        "chmod 777 $OUTSIDE && touch $OUTSIDE/x && echo ESCAPED",
        "ln $OUTSIDE/file hard && echo x > hard && echo ESCAPED",
        "ln -s $OUTSIDE/file soft; echo x > soft && echo ESCAPED",
        "ln -s $OUTSIDE dir; touch dir/new && echo ESCAPED",
        "cd ..; cd outside; echo x > file && echo ESCAPED",
        "echo x > ../outside/file && echo ESCAPED",
        "echo x > /proc/self/root$OUTSIDE/file && echo ESCAPED",
        "echo x > /proc/self/cwd/../outside/file && echo ESCAPED",
        "exec 9<$OUTSIDE/file; echo x > /proc/self/fd/9 && echo ESCAPED",
        "touch /etc/codewhale /usr/codewhale /opt/codewhale && echo ESCAPED",
        ": >> /proc/sys/kernel/core_pattern && echo ESCAPED",
        ": >> /sys/kernel/uevent_helper && echo ESCAPED",
        "mknod device b 8 0 && echo ESCAPED",
        "(exec 9<>/dev/vda) && echo ESCAPED",
        "dd if=/dev/vda of=/dev/null bs=512 count=1 && echo ESCAPED",
        "head -c 1 /dev/mem && echo ESCAPED",
        "head -c 1 /dev/kmsg && echo ESCAPED",
    ])
    .await;
}

#[tokio::test]
async fn what_is_protected_stays_as_it_is() {
    refused(&[
        "echo x > .git/config && echo ESCAPED",
        "echo x > .git/hooks/pre-commit && echo ESCAPED",
        "ln -s /bin/true .git/hooks/pre-commit && echo ESCAPED",
        "ln file .git/hooks/pre-commit && echo ESCAPED",
        "rm -f .git/config; test -e .git/config || echo ESCAPED",
        "rm -rf .git/hooks; test -e .git/hooks || echo ESCAPED",
        "mv .git moved && echo ESCAPED",
        "mv .git/hooks moved && echo ESCAPED",
        "mv .git/config moved && echo ESCAPED",
        "mv file .git/config && echo ESCAPED",
        "rm -rf .git; test -e .git/config || echo ESCAPED",
        "ln .git/config hard && echo x > hard && echo ESCAPED",
        "ln .git/hooks/hook hard && echo x > hard && echo ESCAPED",
        "ln -s .git/config soft; echo x > soft && echo ESCAPED",
        "touch .codewhale/config.toml && echo ESCAPED",
        "mv .codewhale moved && echo ESCAPED",
        "rmdir .codewhale && echo ESCAPED",
        "cd .git/hooks; touch ./new && echo ESCAPED",
        "git config core.fsmonitor evil && echo ESCAPED",
        "git config core.hooksPath evil && echo ESCAPED",
        "echo x > /proc/self/root$PWD/.git/config && echo ESCAPED",
        "exec 9<.git/config; echo x > /proc/self/fd/9 && echo ESCAPED",
        "chmod 777 .git/hooks; touch .git/hooks/new && echo ESCAPED",
        "cp -al .git copy; echo x > copy/config && cmp -s copy/config .git/config && echo ESCAPED",
    ])
    .await;
}

#[tokio::test]
async fn a_repository_cannot_be_led_to_other_settings() {
    let lab = Lab::new();
    let script = "mkdir evil; echo $PWD/evil > .git/commondir; echo done";
    let outcome = lab.run(script).await;
    assert!(!lab.workspace.join(".git/commondir").exists());
    if probe().is_fine_grained() {
        assert!(outcome.denial.is_some(), "{outcome:?}");
    }
}

#[tokio::test]
async fn links_that_change_while_they_are_followed_lead_nowhere() {
    let race = |target: &str| {
        python(&format!(
            "import os, threading, time\n\
             end = time.monotonic() + 0.5\n\
             def swap():\n    \
                 while time.monotonic() < end:\n        \
                     for name in ('file', '{target}'):\n            \
                         try:\n                \
                             os.symlink(name, 'tmp-link'); os.rename('tmp-link', 'link')\n            \
                         except OSError: pass\n\
             t = threading.Thread(target=swap); t.start()\n\
             while time.monotonic() < end:\n    \
                 try:\n        \
                     with open('link', 'w') as f: f.write('mine')\n    \
                 except OSError: pass\n\
             t.join()"
        ))
    };
    let outside = race("../outside/file");
    let config = race(".git/config");
    refused(&[&outside, &config]).await;
}

#[tokio::test]
async fn what_is_hidden_is_not_read() {
    let lab = Lab::new();
    let file = format!("file://{}", lab.home.join("secret").display());
    drop(lab);
    refused(&[
        "cat $SECRETS/secret",
        "cat ../home/secret",
        "cat /proc/self/root$SECRETS/secret",
        "ln -s $SECRETS/secret soft; cat soft",
        "ln $SECRETS/secret hard && cat hard",
        "cp -r $SECRETS copy; cat copy/secret",
        "mv $SECRETS moved; cat moved/secret",
        "grep -r hidden ..",
        "tar c .. | strings",
        "python3 -c 'print(open(\"../home/secret\").read())'",
        "exec 9<../home/secret; cat <&9",
        &format!("curl -s {file}"),
        "find .. -name secret -exec cat {} + 2>/dev/null",
        "cd /; cat .$SECRETS/secret",
    ])
    .await;
}

#[tokio::test]
async fn other_processes_are_out_of_reach() {
    let me = std::process::id();
    let read = |what: &str| format!("cat /proc/{me}/{what} >/dev/null && echo ESCAPED");
    let each: Vec<String> = ["environ", "mem", "maps", "fd/0", "root/etc/passwd", "cwd/Cargo.toml"]
        .iter()
        .map(|what| read(what))
        .chain([
            format!("kill -0 {me} && echo ESCAPED"),
            format!("kill -CONT {me} && echo ESCAPED"),
            format!("readlink /proc/{me}/fd/0 && echo ESCAPED"),
            "for p in /proc/[0-9]*; do test -r $p/environ && tr '\\0' '\\n' <$p/environ; done 2>/dev/null | grep -q CARGO && echo ESCAPED".into(),
            "cat /proc/1/environ /proc/1/mem 2>/dev/null | grep -qa CARGO && echo ESCAPED".into(),
            "cat /proc/$PPID/environ >/dev/null 2>&1 && test $PPID -gt 1 && echo ESCAPED".into(),
            "kill -9 $PPID && echo ESCAPED".into(),
            "kill -0 1 && echo ESCAPED".into(),
            "kill -CONT 1 && echo ESCAPED".into(),
            format!("prlimit --pid {me} --nofile=1 && echo ESCAPED"),
            format!("gdb -p {me} -batch 2>&1 | grep -q 'Attaching.*ok' && echo ESCAPED"),
            call(libc_numbers::PTRACE, &format!("16, {me}, 0, 0")),
            call(libc_numbers::VM_READ, &format!("{me}, 0, 0, 0, 0, 0")),
            call(libc_numbers::PIDFD_GETFD, "0, 0, 0"),
        ])
        .collect();
    let each: Vec<&str> = each.iter().map(String::as_str).collect();
    refused(&each).await;
}

#[tokio::test]
async fn the_kernel_is_not_asked_for_more() {
    use libc_numbers as n;
    let new_user = 0x1000_0000_u32;
    let each = [
        "unshare -U true && echo ESCAPED".to_owned(),
        "unshare -r -m true && echo ESCAPED".into(),
        "unshare -n true && echo ESCAPED".into(),
        "mount -t tmpfs none . && echo ESCAPED".into(),
        "mount --bind /etc . && echo ESCAPED".into(),
        "mount -o remount,rw / && echo ESCAPED".into(),
        "umount .git/config && echo ESCAPED".into(),
        "umount -l .git/hooks && echo ESCAPED".into(),
        "umount /tmp && echo ESCAPED".into(),
        "umount -l $SECRETS; cat $SECRETS/secret".into(),
        "chroot . true 2>/dev/null && echo ESCAPED".into(),
        "nsenter -t 1 -m true && echo ESCAPED".into(),
        "su -c true nobody && echo ESCAPED".into(),
        "setpriv --reuid 1 true && echo ESCAPED".into(),
        "date -s \"$(date)\" && echo ESCAPED".into(),
        "hostname $(hostname) && echo ESCAPED".into(),
        "dmesg >/dev/null 2>&1 && echo ESCAPED".into(),
        call(n::UNSHARE, &new_user.to_string()),
        call(n::MOUNT, "b'none', b'/', b'tmpfs', 0, 0"),
        call(n::CHROOT, "b'/'"),
        call(n::SETNS, "0, 0"),
        call(n::KEYCTL, "0, -3, 1"),
        call(n::BPF, "0, 0, 0"),
        call(n::PERF, "0, 0, -1, -1, 0"),
        call(n::USERFAULT, "0"),
        call(n::URING, "1, ctypes.create_string_buffer(120)"),
        call(n::OPEN_TREE, "-100, b'/', 1"),
        call(n::MOVE_MOUNT, "-100, b'/', -100, b'/tmp', 0"),
        call(
            n::SETATTR,
            "-100, b'/', 0, ctypes.create_string_buffer(32), 32",
        ),
        call(n::CLONE3, "ctypes.create_string_buffer(88), 88"),
        call(
            n::HANDLE,
            "-100, ctypes.create_string_buffer(b'\\x08', 128), 0",
        ),
    ];
    let each: Vec<&str> = each.iter().map(String::as_str).collect();
    refused(&each).await;
}

#[tokio::test]
async fn programs_that_raise_privileges_do_not() {
    let lab = Lab::new();
    let own = format!("{}/whoami", lab.workspace.display());
    fs::copy("/usr/bin/id", &own).unwrap();
    let script =
        "find /usr/bin /bin -perm -4000 | wc -l >/dev/null; grep NoNewPrivs /proc/self/status";
    lab.says(script, "NoNewPrivs:\t1\n").await;
    lab.says(
        "chmod u+s whoami; ./whoami -u >/dev/null; grep CapBnd /proc/self/status | tr -d '\\t'",
        "CapBnd:0000000000000000\n",
    )
    .await;
}

#[tokio::test]
async fn nothing_open_is_inherited() {
    use std::os::fd::AsRawFd;
    let lab = Lab::new();
    let open = fs::File::open(lab.home.join("secret")).unwrap();
    let number = open.as_raw_fd();
    rustix::io::fcntl_setfd(&open, rustix::io::FdFlags::empty()).unwrap();
    for lab in [lab, Lab::without_namespaces()] {
        lab.refuses(&format!("cat <&{number}")).await;
        lab.says("for f in /proc/self/fd/*; do echo ${f##*/}; done | sort -n | head -3 | tr '\\n' ' '; test -e /proc/self/fd/7 && echo open; true", "0 1 2 ").await;
    }
}

#[tokio::test]
async fn the_terminal_of_the_user_is_not_written_to() {
    let ours =
        rustix::pty::openpt(rustix::pty::OpenptFlags::RDWR | rustix::pty::OpenptFlags::NOCTTY)
            .unwrap();
    rustix::pty::unlockpt(&ours).unwrap();
    let name = rustix::pty::ptsname(&ours, Vec::new()).unwrap();
    let name = name.to_str().unwrap().to_owned();
    refused(&[
        &format!("echo x > {name} && echo ESCAPED"),
        "echo x > /dev/tty && echo ESCAPED",
        "echo x > /dev/console && echo ESCAPED",
        "echo x > /dev/tty0 && echo ESCAPED",
    ])
    .await;
}

#[tokio::test]
async fn a_terminal_of_its_own_takes_no_forged_typing() {
    let lab = Lab::new();
    let mut command = lab.command(&python(
        "import fcntl\nfcntl.ioctl(0, 0x5412, b'x')\nprint('ESCAPED')",
    ));
    command.terminal = Some(Terminal::default());
    let outcome = run(command, &CancellationToken::new()).await.unwrap();
    assert!(!outcome.output.text.contains("ESCAPED"), "{outcome:?}");
}

#[tokio::test]
async fn processes_are_bounded_and_all_of_them_end() {
    let lab = Lab::new();
    if !probe().namespaces {
        return;
    }
    let script = python(
        "import os, time\ncount = 0\ntry:\n    while count < 5000:\n        \
         if os.fork() == 0:\n            os.setsid(); time.sleep(1000)\n        count += 1\n\
         except OSError: pass\nprint(count)",
    )
    .replace("-S -", &format!("-S - {}", lab.workspace.display()));
    let outcome = lab.run(&script).await;
    let count: u32 = outcome.output.text.trim().parse().unwrap();
    assert!((100..2400).contains(&count), "{count} processes");
    let marker = lab.workspace.display().to_string();
    let left = fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
        let command = fs::read_to_string(entry.path().join("cmdline"));
        command.is_ok_and(|command| command.contains(&marker))
    });
    assert_eq!(left.count(), 0);
}

#[tokio::test]
async fn a_secret_of_the_runtime_is_in_no_environment() {
    for lab in [Lab::new(), Lab::without_namespaces()] {
        let outcome = lab
            .run("env; cat /proc/self/environ | tr '\\0' '\\n'")
            .await;
        assert!(
            !outcome.output.text.contains("CARGO"),
            "{}",
            outcome.output.text
        );
    }
}

#[tokio::test]
async fn open_walls_are_open() {
    let lab = Lab::new();
    let mut command = lab.command("cat $SECRETS/secret; echo x > .git/config && echo changed");
    command.walls = Walls::Open;
    let outcome = run(command, &CancellationToken::new()).await.unwrap();
    assert_eq!(outcome.output.text, format!("{SECRET}changed\n"));
    assert_eq!(outcome.denial, None);
}
