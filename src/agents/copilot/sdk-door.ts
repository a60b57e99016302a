// Where the SDK comes in: a port on loopback, for the one connection whose first message knows the token. The SDK can start
// a program itself, in a way that leaves no pid and writes to our terminal, or be told where one listens: so this listens.

import { createServer, type AddressInfo, type Socket } from "node:net";
import { asFields, fieldsIn } from "../fields.ts";
import { createFrameReader, frameOf, messageIn } from "./frames.ts";

export interface SdkDoor {
  readonly url: string;
  /** To the SDK; kept until it is there. */
  send(frame: Buffer): void;
  /** The other side has ended. */
  hangUp(): void;
  /** The SDK will not come. It closes by itself when the SDK is in. */
  close(): void;
}

/** The first message is a short one. */
const maxGreetingBytes = 65_536;
/** For who does not hang up when the other side does. */
const hangUpMs = 1000;

export async function openSdkDoor(token: string, onRequest: (frame: Buffer) => void): Promise<SdkDoor> {
  const sockets = new Set<Socket>();
  let early: Buffer[] = [];
  let sdk: Socket | undefined;
  let isOver = false;

  function letIn(socket: Socket, frame: Buffer, bodyAt: number): void {
    const greeting = asFields(messageIn(frame, bodyAt));
    const { token: said, ...params } = fieldsIn(greeting, "params");
    if (sdk !== undefined || said !== token) return void socket.destroy();
    sdk = socket;
    server.close();
    for (const other of sockets) if (other !== socket) other.destroy();
    // A program that speaks over its pipes knows of no token, and takes none.
    onRequest(frameOf({ ...greeting, params }));
    for (const kept of early) socket.write(kept);
    early = [];
  }

  /** Ended, not cut off: the SDK leaves an error of its connection unhandled. */
  function end(socket: Socket): void {
    socket.setTimeout(hangUpMs, () => socket.destroy()).end();
  }

  const server = createServer({ noDelay: true }, (socket) => {
    let greetingBytes = 0;
    const requests = createFrameReader((frame, bodyAt) => {
      if (sdk === socket) onRequest(frame);
      else letIn(socket, frame, bodyAt);
    });
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    socket.on("data", (bytes: Buffer) => {
      if (isOver) return;
      if (sdk !== socket && (greetingBytes += bytes.length) > maxGreetingBytes) return void socket.destroy();
      try {
        requests.push(bytes);
      } catch {
        socket.destroy();
      }
    });
    if (!isOver) return;
    server.close();
    end(socket);
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  server.on("error", () => {});

  return {
    url: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    send(frame) {
      if (sdk === undefined) early.push(frame);
      else sdk.write(frame);
    },
    hangUp() {
      isOver = true;
      // The SDK may be on its way in, and is told when it is there.
      if (sockets.size > 0) server.close();
      for (const socket of sockets) end(socket);
    },
    close: () => void server.close(),
  };
}
