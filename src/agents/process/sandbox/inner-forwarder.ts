// Inside its own network namespace a program has a loopback that is not ours. This joins the two: a small
// program inside, which listens on the ports that the program knows and passes each connection to a Unix socket in a
// folder that both sides see; and the other way round for a port that the program listens on.
//
// It is text that this program's own runtime runs (Bun or Node), so that nothing has to be installed for it. A shell
// waits for its signal before it becomes the program, so the program never finds a port closed. The runtime is started in
// the root folder: what the project has for it (bunfig.toml, .env) is not its own.

/** Names in the folder that both sides see. */
export const proxySocket = "proxy.sock";
export const portSocket = (port: number): string => `port-${port}.sock`;
export const innerSocket = (port: number): string => `inside-${port}.sock`;

/** The namespace is empty, so every port is free. */
export const innerProxyPort = 3128;

export interface Forwards {
  /** The folder, as it is seen inside. */
  readonly folder: string;
  /** Ports of the outside that can be reached inside under the same number. */
  readonly reaches: readonly number[];
  readonly listensOn: number | undefined;
}

const code = `
const net = require("node:net");
const fs = require("node:fs");
const { folder, out, into } = JSON.parse(process.argv[process.argv.length - 1]);
const join = (a, b) => {
  for (const [from, to] of [[a, b], [b, a]]) {
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroy());
    from.pipe(to);
  }
};
let waiting = out.length + into.length;
const ready = () => {
  if (--waiting > 0) return;
  fs.writeSync(3, "ready");
  fs.closeSync(3);
};
for (const [port, name] of out)
  net.createServer((client) => join(client, net.connect(folder + "/" + name))).listen(port, "127.0.0.1", ready);
for (const [port, name] of into)
  net.createServer((client) => join(client, net.connect(port, "127.0.0.1"))).listen(folder + "/" + name, ready);
`;

/**
 * The shell is `$0 RUNTIME CODE SETUP PROGRAM ARGUMENTS…`. It reads until the other end of the pipe is closed, which the
 * forwarder does once it listens, or by ending.
 */
const shell = `
word=$(cd /; NODE_OPTIONS= BUN_OPTIONS= BUN_BE_BUN=1 "$1" -e "$2" -- "$3" 3>&1 </dev/null >/dev/null 2>&1 &)
[ "$word" = ready ] || { echo "The sandbox's connection to the outside did not start." >&2; exit 125; }
shift 3
exec "$@"
`;

/** What is run inside instead of the program. `runtime`: this process's own. */
export function withForwards(
  command: readonly string[],
  { folder, reaches, listensOn }: Forwards,
  runtime: string,
): readonly string[] {
  const setup = {
    folder,
    out: [[innerProxyPort, proxySocket], ...reaches.map((port) => [port, portSocket(port)])],
    into: listensOn === undefined ? [] : [[listensOn, innerSocket(listensOn)]],
  };
  return ["/bin/sh", "-c", shell, "atomic-sandbox", runtime, code, JSON.stringify(setup), ...command];
}
