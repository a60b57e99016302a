// The sandbox on macOS: a profile for sandbox-exec, made from a plan. Pure. The last rule that matches decides.
//
// There is no namespace of mounts or of the network: temporary files go to a folder that TMPDIR names, and loopback is
// the machine's own. In strict mode a program may connect to ports on loopback that it was given, and listen there.

import type { AccessEntry } from "./access-plan.ts";

export interface SeatbeltPlan {
  readonly entries: readonly AccessEntry[];
  /** The folder that TMPDIR names. */
  readonly temp: string;
  /** Ports on loopback that may be reached; undefined: the network is not limited. */
  readonly ports: readonly number[] | undefined;
}

/** What every program writes to. */
const devices = ["/dev/null", "/dev/zero", "/dev/tty", "/dev/dtracehelper", "/dev/stdout", "/dev/stderr", "/dev/fd"];
/** Names of hosts, the log, and user records are asked for by sockets. */
const systemSockets = ["/private/var/run/mDNSResponder", "/private/var/run/syslog", "/var/run/mDNSResponder"];

export function seatbeltProfile({ entries, temp, ports }: SeatbeltPlan): string {
  const withTemp = [{ path: temp, access: "write" } as const, ...entries];
  const writable = withTemp.flatMap(({ path, access }) => (access === "write" ? [subpath(path)] : []));
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    `(allow file-write* ${devices.map((path) => `(literal ${quoted(path)})`).join(" ")} (subpath "/dev/fd"))`,
    "; A terminal that the program opens for its own commands; those of the user's other windows stay closed to it.",
    '(allow file-write* (literal "/dev/ptmx"))',
    '(allow file-write* (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))',
    ...withTemp.map(({ path, access }) => `(${access === "write" ? "allow" : "deny"} file-write* ${subpath(path)})`),
    "; Rules go by path: a folder that could be moved away would take what is protected inside it along.",
    ...withTemp.map(({ path }) => `(deny file-write-unlink (literal ${quoted(path)}))`),
    "; Other processes are not its own.",
    "(deny process-info* (target others))",
    "(allow process-info* (target same-sandbox))",
    "(deny signal (target others))",
    "(allow signal (target same-sandbox))",
    "; A socket needs no right to write: Docker, ssh-agent and the like are denied by their kind.",
    "(deny network-outbound (remote unix-socket))",
    `(allow network-outbound ${systemSockets.map((path) => `(literal ${quoted(path)})`).join(" ")})`,
    `(allow network-outbound ${writable.join(" ")})`,
    ...(ports === undefined ? [] : networkRules(ports)),
    "",
  ].join("\n");
}

function networkRules(ports: readonly number[]): readonly string[] {
  return [
    "(deny network-outbound (remote ip))",
    "(deny network-bind (local ip))",
    "(deny network-inbound (local ip))",
    '(allow network-bind (local ip "localhost:*"))',
    '(allow network-inbound (local ip "localhost:*"))',
    ...ports.map((port) => `(allow network-outbound (remote ip "localhost:${port}"))`),
  ];
}

function subpath(path: string): string {
  return `(subpath ${quoted(path)})`;
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
