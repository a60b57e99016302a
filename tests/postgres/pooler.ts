// A pooler in transaction mode, as small as it can be: each transaction of a client goes to another of its connections to
// the server, so that nothing that belongs to a connection (a named statement, a setting) is there the next time.

import { createServer, connect, type Socket } from "node:net";
import type { PostgresServer } from "./server.ts";

export interface Pooler extends AsyncDisposable {
  readonly url: string;
  /** How many transactions were sent to another connection than the one before. */
  switches(): number;
}

const serverConnections = 3;

/** A connection to the server, used by one transaction at a time. */
interface Backend {
  readonly socket: Socket;
  /** What the server says goes there. */
  onData: ((data: Buffer) => void) | undefined;
}

export async function startPooler(server: PostgresServer): Promise<Pooler> {
  const target = new URL(server.url);
  let switches = 0;
  const backends: Backend[] = [];
  for (let i = 0; i < serverConnections; i++) backends.push(await openBackend(target));
  const free = [...backends];
  const waiting: ((backend: Backend) => void)[] = [];
  const take = (): Promise<Backend> => {
    switches++;
    const backend = free.shift();
    return backend === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(backend);
  };
  const give = (backend: Backend): void => {
    backend.onData = undefined;
    const next = waiting.shift();
    if (next === undefined) free.push(backend);
    else next(backend);
  };
  const clients = new Set<Socket>();
  const listener = createServer((client) => {
    clients.add(client);
    client.on("error", () => undefined);
    serve(client, take, give);
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `postgres://pooled@127.0.0.1:${port}/postgres`,
    switches: () => switches,
    async [Symbol.asyncDispose]() {
      for (const socket of [...clients, ...backends.map(({ socket }) => socket)]) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

/** Answers the client's greeting, and then sends what it asks up to each Sync to a connection of its turn. */
function serve(client: Socket, take: () => Promise<Backend>, give: (backend: Backend) => void): void {
  let buffer = Buffer.alloc(0);
  let isGreeted = false;
  let asked: Buffer[] = [];
  let turn = Promise.resolve();
  client.on("data", (data: Buffer) => {
    buffer = Buffer.concat([buffer, data]);
    for (;;) {
      if (!isGreeted) {
        if (buffer.length < 8 || buffer.length < buffer.readInt32BE(0)) return;
        const isSslRequest = buffer.readInt32BE(4) === 80877103;
        buffer = buffer.subarray(buffer.readInt32BE(0));
        if (isSslRequest) client.write("N");
        else {
          isGreeted = true;
          client.write(
            Buffer.concat([
              message("R", int32(0)),
              parameter("client_encoding", "UTF8"),
              message("K", Buffer.alloc(8)),
              ready,
            ]),
          );
        }
        continue;
      }
      if (buffer.length < 5 || buffer.length < buffer.readInt32BE(1) + 1) return;
      const length = buffer.readInt32BE(1) + 1;
      const type = String.fromCharCode(buffer[0] ?? 0);
      if (type === "X") return void client.end();
      asked.push(buffer.subarray(0, length));
      buffer = buffer.subarray(length);
      // A Flush asks for the answers so far; the transaction ends with a Sync or a simple query.
      if (type !== "S" && type !== "Q") continue;
      const whole = Buffer.concat(asked);
      asked = [];
      turn = turn.then(() => transact(client, whole, take, give));
    }
  });
}

async function transact(
  client: Socket,
  whole: Buffer,
  take: () => Promise<Backend>,
  give: (backend: Backend) => void,
): Promise<void> {
  const backend = await take();
  await new Promise<void>((resolve) => {
    let tail = Buffer.alloc(0);
    backend.onData = (data) => {
      client.write(data);
      tail = Buffer.concat([tail, data]).subarray(-6);
      // ReadyForQuery, outside a transaction.
      if (tail.equals(ready)) resolve();
    };
    backend.socket.write(whole);
  });
  give(backend);
}

async function openBackend(target: URL): Promise<Backend> {
  const socket = connect(Number(target.port), target.hostname);
  const backend: Backend = { socket, onData: undefined };
  socket.on("error", () => undefined);
  await new Promise<void>((resolve, reject) => {
    let seen = Buffer.alloc(0);
    const onData = (data: Buffer): void => {
      seen = Buffer.concat([seen, data]);
      if (seen.subarray(-6).equals(ready)) resolve();
      else if (seen[0] === "E".charCodeAt(0)) reject(new Error(seen.toString()));
    };
    backend.onData = onData;
    socket.on("data", (data: Buffer) => backend.onData?.(data));
    const body = Buffer.concat([
      int32(196_608),
      Buffer.from("user\0pooled\0database\0postgres\0client_encoding\0UTF8\0\0"),
    ]);
    socket.write(Buffer.concat([int32(body.length + 4), body]));
  });
  return backend;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function message(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function parameter(name: string, value: string): Buffer {
  return message("S", Buffer.from(`${name}\0${value}\0`));
}

const ready = message("Z", Buffer.from("I"));
