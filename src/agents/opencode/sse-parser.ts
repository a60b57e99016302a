// Server-sent events out of bytes, however they are cut. Only `data` is kept: the server names its events inside it.

export interface SseParser {
  push(bytes: Uint8Array): void;
}

/** A server that never ends an event is broken; its text is not collected for ever. */
const maxEventChars = 256 * 1024 * 1024;

export function createSseParser(onData: (data: string) => void): SseParser {
  // Not fatal: invalid UTF-8 becomes U+FFFD, as everywhere in a stream of a program.
  const decoder = new TextDecoder();
  let rest = "";
  let data: string | undefined;

  function line(text: string): void {
    if (text === "") {
      if (data !== undefined) onData(data);
      data = undefined;
    } else if (text.startsWith("data:")) {
      const value = text.slice(text.charCodeAt(5) === 32 ? 6 : 5);
      data = data === undefined ? value : `${data}\n${value}`;
    }
  }

  return {
    push(bytes) {
      const text = decoder.decode(bytes, { stream: true });
      // Two strings put together are searched slowly.
      rest = rest === "" ? text : rest + text;
      let from = 0;
      for (let end = rest.indexOf("\n"); end !== -1; end = rest.indexOf("\n", from)) {
        line(rest.slice(from, rest.charCodeAt(end - 1) === 13 ? end - 1 : end));
        from = end + 1;
      }
      rest = rest.slice(from);
      if (rest.length + (data?.length ?? 0) > maxEventChars) throw new Error("An event of the server has no end");
    },
  };
}
