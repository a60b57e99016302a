// The sandbox on Linux: arguments of bubblewrap, made from a plan. Pure.
//
// - The whole file system is there, read-only; `entries` says what is otherwise. Reading is not limited.
// - Temporary files are the sandbox's own, and so is /run: sockets of other programs lie there (ssh-agent, D-Bus,
//   Docker), and a read-only mount does not keep a program from connecting to one. Sockets elsewhere are covered.
// - Processes, /proc, /dev and shared memory are the sandbox's own: no other process can be seen, traced or signalled.
// - bubblewrap itself sets no_new_privs and drops capabilities, so setuid programs gain nothing.
// - It ends with this process (--die-with-parent), and everything in it ends with its first program (--unshare-pid).
// - There is no terminal in it to type into (TIOCSTI): programs are started in a session without one, and /dev has none.

import type { AccessEntry } from "./access-plan.ts";

export interface BubblewrapPlan {
  readonly entries: readonly AccessEntry[];
  /** The folder that stands for /tmp and /var/tmp inside. */
  readonly temp: string;
  /** Folders below /tmp, /var/tmp and /run that have to be there, read-only. */
  readonly shown: readonly string[];
  /** Folders of which nothing is to be seen. */
  readonly hidden: readonly string[];
  /** Sockets that have to be covered. */
  readonly sockets: readonly string[];
  readonly hasOwnNetwork: boolean;
  readonly cwd: string;
}

/** Folders that are replaced by the sandbox's own. */
export const tempFolders = ["/tmp", "/var/tmp"] as const;

/** Without these a program finds no names of hosts (resolv.conf is a link), or on NixOS no programs. */
export const neededOfRun = [
  "/run/systemd/resolve",
  "/run/NetworkManager",
  "/run/resolvconf",
  "/run/current-system",
  "/run/booted-system",
  "/run/opengl-driver",
];

export function bubblewrapArgs(plan: BubblewrapPlan, command: readonly string[]): readonly string[] {
  return [
    ...isolation,
    ...(plan.hasOwnNetwork ? ["--unshare-net"] : []),
    ...["--ro-bind", "/", "/"],
    ...["--dev", "/dev"],
    ...["--proc", "/proc"],
    ...ofTheKernel.flatMap((path) => ["--ro-bind-try", path, path]),
    ...tempFolders.flatMap((folder) => ["--bind", plan.temp, folder]),
    ...plan.hidden.flatMap((folder) => ["--tmpfs", folder]),
    ...plan.shown.flatMap((folder) => ["--ro-bind", folder, folder]),
    ...plan.entries.flatMap(({ path, access }) => [access === "write" ? "--bind" : "--ro-bind", path, path]),
    // What is not a socket refuses connections.
    ...plan.sockets.flatMap((socket) => ["--ro-bind", "/dev/null", socket]),
    ...plan.hidden.flatMap((folder) => ["--remount-ro", folder]),
    ...["--chdir", plan.cwd],
    "--",
    ...command,
  ];
}

/** Root can change the machine by these also without any capability, and bubblewrap leaves some of them as they are. */
const ofTheKernel = ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi"].map((name) => `/proc/${name}`);

const isolation = [
  "--die-with-parent",
  "--unshare-user",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  ...["--cap-drop", "ALL"],
];

/** Runs nothing; succeeds where a sandbox can be made. */
export function bubblewrapProbe(hasOwnNetwork: boolean): readonly string[] {
  const plan = { entries: [], temp: "/tmp", shown: [], hidden: ["/run"], sockets: [], hasOwnNetwork, cwd: "/" };
  return bubblewrapArgs(plan, ["/bin/sh", "-c", ":"]);
}
