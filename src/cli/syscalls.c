#define _GNU_SOURCE /* the numbers of all calls */

#include "cli/syscalls.h"

#if defined(__linux__) && defined(__has_include)
#if __has_include(<linux/seccomp.h>) && __has_include(<linux/filter.h>) && __has_include(<linux/audit.h>)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define ARCHITECTURE AUDIT_ARCH_I386
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#elif defined(__s390x__)
#define ARCHITECTURE AUDIT_ARCH_S390X
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define ARCHITECTURE AUDIT_ARCH_PPC64LE
#endif
#endif
#endif

#ifdef ARCHITECTURE

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* Newer than some headers; the same on every architecture. */
enum {
    IO_URING_SETUP = 425,
    OPEN_TREE = 428,
    MOVE_MOUNT = 429,
    FSOPEN = 430,
    FSCONFIG = 431,
    FSMOUNT = 432,
    PIDFD_GETFD = 438,
    MOUNT_SETATTR = 442
};

/* clang-format off */
static const uint32_t GIVEN_UP[] = {
    SYS_execve, SYS_execveat,
    SYS_socket, SYS_connect, SYS_bind, SYS_listen, SYS_accept4,
#ifdef SYS_accept
    SYS_accept,
#endif
#ifdef SYS_socketcall
    SYS_socketcall,
#endif
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev,
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, SYS_open_by_handle_at,
    IO_URING_SETUP, OPEN_TREE, MOVE_MOUNT, FSOPEN, FSCONFIG, FSMOUNT, PIDFD_GETFD, MOUNT_SETATTR,
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
    SYS_keyctl, SYS_add_key, SYS_request_key,
    SYS_kexec_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_reboot,
    SYS_swapon, SYS_swapoff,
    SYS_mknodat, SYS_linkat, SYS_symlinkat, SYS_fchown, SYS_fchownat,
#ifdef SYS_mknod
    SYS_mknod,
#endif
#ifdef SYS_link
    SYS_link,
#endif
#ifdef SYS_symlink
    SYS_symlink,
#endif
#ifdef SYS_chown
    SYS_chown,
#endif
#ifdef SYS_lchown
    SYS_lchown,
#endif
#ifdef SYS_chown32
    SYS_chown32, SYS_lchown32, SYS_fchown32,
#endif
#ifdef SYS_setuid32
    SYS_setuid32, SYS_setgid32,
#endif
    SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_setuid, SYS_setgid,
};
/* clang-format on */

enum {
    COUNT = sizeof(GIVEN_UP) / sizeof(GIVEN_UP[0]),
    FRONT = 5, /* steps before the first of them */
    BACK = 4,  /* behind the last of them, before it is decided */
    OTHER_ABI = 0x40000000 /* x86-64's second numbering */
};
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LOW_WORD 4
#else
#define LOW_WORD 0
#endif
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IS(value, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (then), (otherwise))
#define GIVE(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)

bool lk_syscalls_can(void)
{
    return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
}

/* Calls by the numbers of another architecture, or of the other numbering, are none of ours. */
bool lk_syscalls_give_up(void)
{
    struct sock_filter steps[FRONT + COUNT + BACK + 2] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        GIVE(REFUSE),
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, OTHER_ABI, COUNT + BACK + 1, 0),
    };
    /* What a terminal would take for typed by its user; the kernel looks at the low word only. */
    const struct sock_filter typing[BACK] = {
        IS(SYS_ioctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1]) + LOW_WORD),
        IS(TIOCSTI, 2, 0),
        IS(TIOCLINUX, 1, 0),
    };
    const struct sock_fprog filter = { .len = FRONT + COUNT + BACK + 2, .filter = steps };

    for (unsigned char i = 0; i < COUNT; i++)
        steps[FRONT + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, GIVEN_UP[i],
                                                        (unsigned char)(COUNT + BACK - i), 0);
    for (size_t i = 0; i < BACK; i++)
        steps[FRONT + COUNT + i] = typing[i];
    steps[FRONT + COUNT + BACK] = (struct sock_filter)GIVE(SECCOMP_RET_ALLOW);
    steps[FRONT + COUNT + BACK + 1] = (struct sock_filter)GIVE(REFUSE);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

#else

bool lk_syscalls_can(void)
{
    return false;
}

bool lk_syscalls_give_up(void)
{
    return false;
}

#endif
