// The only way out of a strict sandbox: our own proxy, outside, that connects to hosts of the allow list and to no
// other. It speaks CONNECT (what is inside stays encrypted) and plain HTTP with a whole URL, one request a connection.

import { connect, createServer, type Server, type Socket } from "node:net";
import { isHostAllowed, type HostRule } from "./allow-list.ts";

export interface ProxyOptions {
  readonly rules: () => readonly HostRule[];
  /** The user's own proxy, when connections have to go through one: `http://USER:PASSWORD@HOST:PORT`. */
  readonly upstream?: string | undefined;
}

interface Target {
  readonly host: string;
  readonly port: number;
  /** What the server is sent first; undefined for CONNECT. */
  readonly head: string | undefined;
}

const maxHeadBytes = 64 * 1024;
const headEnd = "\r\n\r\n";

/** A server that is not listening yet. */
export function createAllowingProxy(options: ProxyOptions): Server {
  return createServer((client) => {
    let head = Buffer.alloc(0);
    client.on("error", () => client.destroy());
    const onData = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf(headEnd);
      if (end === -1 && head.length <= maxHeadBytes) return;
      client.off("data", onData);
      client.pause();
      if (end === -1) return refuse(client, "400 Bad Request", "The request's head is too long.");
      serve(client, head.toString("latin1", 0, end), head.subarray(end + headEnd.length), options);
    };
    client.on("data", onData);
  });
}

function serve(client: Socket, head: string, rest: Buffer, { rules, upstream }: ProxyOptions): void {
  const target = targetOf(head);
  if (target === undefined) return refuse(client, "400 Bad Request", "This proxy takes CONNECT and whole URLs.");
  const { host, port } = target;
  if (!isHostAllowed(rules(), host, port)) {
    const text = `The sandbox does not allow connections to ${host}:${port}. Add it to the setting sandbox.hosts.`;
    return refuse(client, "403 Forbidden", text);
  }
  const via = upstream === undefined ? undefined : new URL(upstream);
  const server = via === undefined ? connect(port, host) : connect(Number(via.port || 80), via.hostname);
  server.on("error", (error) => {
    if (client.bytesWritten === 0) refuse(client, "502 Bad Gateway", `${host}:${port}: ${error.message}`);
    else client.destroy();
  });
  const join = (): void => {
    if (target.head === undefined) client.write(`HTTP/1.1 200 Connection established${headEnd}`);
    else server.write(target.head, "latin1");
    if (rest.length > 0) server.write(rest);
    pipeBoth(client, server);
  };
  server.once("connect", () => (via === undefined ? join() : tunnel(server, target, via, client, join)));
}

/** Through the user's own proxy, which is asked for the connection. */
function tunnel(server: Socket, { host, port }: Target, via: URL, client: Socket, onOpen: () => void): void {
  const name = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const login = via.username === "" ? "" : `${decodeURIComponent(via.username)}:${decodeURIComponent(via.password)}`;
  const auth = login === "" ? "" : `\r\nProxy-Authorization: Basic ${Buffer.from(login).toString("base64")}`;
  server.write(`CONNECT ${name} HTTP/1.1\r\nHost: ${name}${auth}${headEnd}`);
  let answer = "";
  const onData = (chunk: Buffer): void => {
    answer += chunk.toString("latin1");
    if (!answer.includes(headEnd) && answer.length <= maxHeadBytes) return;
    server.off("data", onData);
    server.pause();
    if (/^HTTP\/1\.[01] 200/.test(answer)) return onOpen();
    refuse(client, "502 Bad Gateway", `Your own proxy refuses ${name}: ${answer.split("\r\n")[0] ?? ""}`);
    server.destroy();
  };
  server.on("data", onData);
}

export function pipeBoth(a: Socket, b: Socket): void {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroy());
    from.pipe(to);
  }
}

function refuse(client: Socket, status: string, text: string): void {
  const length = Buffer.byteLength(text) + 1;
  const headers = `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${length}\r\nConnection: close`;
  client.end(`HTTP/1.1 ${status}\r\n${headers}${headEnd}${text}\n`);
}

function targetOf(head: string): Target | undefined {
  const [first = "", ...lines] = head.split("\r\n");
  const [method = "", address = "", version = ""] = first.split(" ");
  if (method === "CONNECT") {
    const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(address) ?? [];
    const host = bracketed ?? plain;
    return host === undefined ? undefined : { host, port: Number(port), head: undefined };
  }
  if (!/^http:\/\//i.test(address) || !URL.canParse(address)) return undefined;
  const { hostname, port, pathname, search } = new URL(address);
  // One request a connection: what follows would go to the same server, whatever it asks for.
  const kept = lines.filter((line) => !/^(?:proxy-[\w-]+|connection|keep-alive):/i.test(line));
  const lead = [`${method} ${pathname}${search} ${version}`, ...kept, "Connection: close"].join("\r\n");
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return { host, port: Number(port || 80), head: `${lead}${headEnd}` };
}
