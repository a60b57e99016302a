// An agent that has tool servers and takes sub-agents, in tmux with the real program: `/mcp` lists the servers and
// switches them, and the agent is offered what was found.

import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "../cli/cli-world.ts";
import { createTmux, tmuxProgram } from "./tmux.ts";

setDefaultTimeout(patienceMs);

/** Speaks as much of Claude Code's protocol as a session without a turn needs, and keeps what it was told. */
const fakeClaude = `#!${process.execPath}
import { appendFileSync } from "node:fs";
const [word] = process.argv.slice(2);
if (word === "--version") { console.log("99.0.0 (Claude Code)"); process.exit(0); }
if (word === "auth") { console.log('{"loggedIn": true}'); process.exit(0); }
const servers = [
  { name: "files", status: "connected", tools: [{ name: "read_file" }] },
  { name: "search", status: "disabled" },
];
const answers = {
  initialize: () => ({ models: [] }),
  mcp_status: () => ({ mcpServers: servers }),
  mcp_toggle({ serverName, enabled }) {
    servers.find(({ name }) => name === serverName).status = enabled ? "connected" : "disabled";
    return {};
  },
};
let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\\n");
  rest = lines.pop();
  for (const line of lines) {
    appendFileSync(process.env.FAKE_LOG, line + "\\n");
    const { type, request_id, request } = JSON.parse(line);
    if (type !== "control_request") continue;
    const response = answers[request.subtype]?.(request) ?? {};
    console.log(JSON.stringify({ type: "control_response", response: { subtype: "success", request_id, response } }));
  }
}).on("end", () => process.exit(0));
`;

test.skipIf(tmuxProgram === null)(
  "/mcp shows the agent's servers, Enter and `/mcp enable` switch them, and found agents are offered",
  async () => {
    const world = createCliWorld();
    chmodSync(world.write("bin/claude", fakeClaude), 0o755);
    world.write("home/.claude/agents/carpenter.md", "---\ndescription: Writes files\n---\nYou write files.\n");
    const log = world.write("told", "");
    const chat = createTmux(world).open([world.program, "chat", "-a", "claude"], {
      env: { PATH: `${join(world.root, "bin")}:/usr/bin:/bin`, FAKE_LOG: log },
    });
    await chat.seen("? keys");
    chat.type("/mcp ");
    await chat.seen("❯ /mcp");
    chat.keys("Enter");
    await chat.seen("tool servers (MCP)");
    await chat.seen(/files +● connected +1 tool: read_file/);
    await chat.seen(/search +○ disabled/);
    chat.keys("Enter");
    await chat.seen("files is disabled in this session.");
    await chat.seen(/files +○ disabled/);
    chat.keys("Escape");
    await chat.gone("tool servers (MCP)");

    chat.type("/mcp enable search ");
    await chat.seen("❯ /mcp enable search");
    chat.keys("Enter");
    await chat.seen(/search +● connected/);
    expect(chat.frame()).toMatch(/files +○ disabled/);
    chat.keys("Escape");
    await chat.gone("tool servers (MCP)");
    chat.type("/exit ");
    chat.keys("Enter");
    await chat.seen("EXIT=0");

    const told = world.read("told");
    expect(told).toContain('"carpenter":{"description":"Writes files"');
    expect(told).toContain('"codebase-locator":{');
  },
);
