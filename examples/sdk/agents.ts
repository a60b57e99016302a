// Clients of agents. Making one starts nothing: a program starts with the first session.

import { writeFileSync } from "node:fs";
import {
  createAcpClient,
  createAgentClient,
  createClaudeClient,
  createCopilotClient,
  createOpencodeClient,
  createSandbox,
  createScriptedClient,
  loadScript,
  parseScript,
} from "atomic/agents";
import { AtomicError } from "atomic/workflows";

const real = [
  createClaudeClient(),
  createOpencodeClient({ retries: { attempts: 2 } }),
  createCopilotClient(),
  createAcpClient("gemini --experimental-acp"),
];
for (const { kind, capabilities } of real) console.log(kind, capabilities.cost);
for (const client of real) await client.close();

// In a sandbox, agents write only to their folder. Creating one fails where it is not supported.
try {
  const sandbox = await createSandbox({ mode: "worktree", cwd: process.cwd() });
  await createClaudeClient({ sandbox }).close();
  await sandbox.close();
} catch (error) {
  if (!AtomicError.is(error, "SANDBOX_UNAVAILABLE")) throw error;
}

// The embedded agent, from a script in the program or in a file.
const script = { version: 1, turns: [{ match: "Hello", steps: [{ say: "Hi." }] }] };
writeFileSync("script.json", JSON.stringify(script));
const clients = [
  createScriptedClient({ script: parseScript(script, "the sample") }),
  createScriptedClient({ script: await loadScript("script.json") }),
  await createAgentClient("scripted", { script: "script.json" }), // by name, as `-a` takes it
];
for (const client of clients) {
  const session = await client.open({ cwd: process.cwd() });
  for await (const event of session.turn("Hello")) {
    if (event.type === "turn.completed") console.log(client.kind, event.text);
  }
  await client.close();
}
