// The outer side of a strict sandbox's network: the proxy with the allow list, and the ports on this machine's loopback
// that the program has to reach. On Linux both are Unix sockets in a folder that the sandbox sees; the other side is
// inner-forwarder.ts. Where loopback is shared (macOS), the proxy is a port on it.

import { mkdirSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";
import type { HostRule } from "./allow-list.ts";
import { createAllowingProxy, pipeBoth } from "./allowing-proxy.ts";
import { innerSocket, portSocket, proxySocket } from "./inner-forwarder.ts";

export interface Gateway {
  /** A port outside that leads to one that the program listens on inside. */
  portTo(inner: number): Promise<number>;
  close(): void;
}

export interface GatewayOptions {
  readonly rules: readonly HostRule[];
  readonly upstream: string | undefined;
}

/** Sockets in `folder`, which is made. */
export async function openGateway(
  folder: string,
  reaches: readonly number[],
  { rules, upstream }: GatewayOptions,
): Promise<Gateway> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const servers: Server[] = [];
  const listen = async (server: Server, where: string | { readonly host: string; readonly port: number }) => {
    servers.push(server);
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(where, () => resolve());
    });
    // It must not keep this process alive.
    server.unref();
  };
  await listen(createAllowingProxy({ rules: () => rules, upstream }), join(folder, proxySocket));
  for (const port of reaches)
    await listen(
      createServer((inside) => pipeBoth(inside, connect(port, "127.0.0.1"))),
      join(folder, portSocket(port)),
    );
  return {
    async portTo(inner) {
      const server = createServer((outside) => pipeBoth(outside, connect(join(folder, innerSocket(inner)))));
      await listen(server, { host: "127.0.0.1", port: 0 });
      return (server.address() as AddressInfo).port;
    },
    close() {
      for (const server of servers) server.close();
    },
  };
}

/** A proxy on a port of loopback, for systems without namespaces. */
export async function openLoopbackProxy(options: GatewayOptions): Promise<{ readonly port: number; close(): void }> {
  const server = createAllowingProxy({ rules: () => options.rules, upstream: options.upstream });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0 }, () => resolve());
  });
  server.unref();
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}
