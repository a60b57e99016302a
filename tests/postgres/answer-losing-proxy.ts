// A connection to PostgreSQL that breaks at the worst moment: the statement arrives, and its answer does not.

import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface AnswerLosingProxy extends AsyncDisposable {
  /** The same database, through this proxy. */
  readonly url: string;
  /** How many answers were lost. */
  readonly lost: number;
  /** Cuts the connection that sends this text next, once the server has answered. */
  loseAnswerTo(text: string): void;
}

export async function startAnswerLosingProxy(to: string): Promise<AnswerLosingProxy> {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  let awaited: string | undefined;
  let lost = 0;
  const proxy = createServer((client) => {
    const server = connect({ host: target.hostname, port: Number(target.port) });
    let isCut = false;
    for (const socket of [client, server]) {
      sockets.add(socket);
      // A side that is gone ends the other one below.
      socket.on("error", () => undefined);
    }
    client.on("data", (sent) => {
      if (awaited !== undefined && sent.includes(awaited)) {
        awaited = undefined;
        isCut = true;
      }
      server.write(sent);
    });
    server.on("data", (answer) => {
      if (!isCut) return client.write(answer);
      lost++;
      client.destroy();
      return server.destroy();
    });
    client.on("close", () => server.destroy());
    server.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const url = new URL(to);
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    get lost() {
      return lost;
    },
    loseAnswerTo(text) {
      awaited = text;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
