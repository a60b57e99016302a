// The tool servers (MCP) that an agent has in a session, as it reports them.

import { listIn, textIn, type Fields } from "./fields.ts";

export interface ToolServer {
  readonly name: string;
  /** The program's own word: `connected`, `failed`, `disabled`, `needs-auth`, `pending`. */
  readonly status: string;
  /** Why it does not work. */
  readonly error?: string | undefined;
  /** Absent if the program does not report them. */
  readonly tools?: readonly string[] | undefined;
}

/** The backend's side: present where the backend has the capability `toolServers`. */
export interface ToolServerControl {
  list(): Promise<readonly ToolServer[]>;
  /** For this session; the user's own configuration stays as it is. */
  switch(name: string, isOn: boolean): Promise<void>;
}

/** `{ name, status, error?, tools?: [{ name }] }`. Undefined without a name. */
export function readToolServer(fields: Fields): ToolServer | undefined {
  const name = textIn(fields, "name");
  if (name === undefined) return undefined;
  const tools = Array.isArray(fields["tools"])
    ? listIn(fields, "tools").flatMap((tool) => textIn(tool, "name") ?? [])
    : undefined;
  return { name, status: textIn(fields, "status") ?? "unknown", error: textIn(fields, "error"), tools };
}
