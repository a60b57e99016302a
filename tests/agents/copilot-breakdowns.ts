// Programs that start like Copilot but don't work: one clear failure each, and nothing left behind. Programs that
// don't get that far are in copilot-cases.ts.

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCopilotClient } from "../../src/agents/copilot/copilot-client.ts";
import type { AgentClient } from "../../src/agents/port.ts";
import { AtomicError } from "../../src/lib/errors.ts";
import { completeTurn, eventually } from "../../src/testing/contracts/agent-harness.ts";
import { contractTexts } from "../../src/testing/contracts/agent-scenarios.ts";
import type { OwnCase, SuiteContext } from "./agent-suite.ts";
import { copilotVariables } from "./backends/copilot.ts";
import { rigHost } from "./rig.ts";

interface Pretender {
  readonly client: AgentClient;
  readonly folder: string;
  /** Of the program, once a client has spoken to it. */
  readonly pid: () => number | undefined;
}

/** A program that waits to be spoken to. `reply` are statements over what it was sent (`text`); `say` answers. */
function pretender({ place }: SuiteContext, name: string, reply: string): Pretender {
  const folder = join(place.root, `pretender-${name}`);
  mkdirSync(folder);
  const [program, source, pidFile] = ["copilot", "source.mjs", "pid"].map((file) => join(folder, file)) as [
    string,
    string,
    string,
  ];
  writeFileSync(
    source,
    `import { writeFileSync } from "node:fs";
const say = (text) => process.stdout.write(text);
process.stdin.setEncoding("utf8").on("data", (text) => {
  writeFileSync(${JSON.stringify(pidFile)}, process.pid + "\\n");
  ${reply}
});
`,
  );
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${source}'\n`);
  chmodSync(program, 0o755);
  const host = { ...rigHost(place, copilotVariables(place)), programs: { copilot: program } };
  return {
    client: createCopilotClient(host),
    folder,
    pid() {
      const text = existsSync(pidFile) ? readFileSync(pidFile, "utf8") : "";
      return text.endsWith("\n") ? Number(text) : undefined;
    },
  };
}

const open = ({ client, folder }: Pretender): Promise<unknown> => client.open({ cwd: folder, model: "fake-model" });

async function refusal(opening: Promise<unknown>): Promise<string> {
  const error: unknown = await opening.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(AtomicError.is(error, "AGENT_UNAVAILABLE"), `refused as unavailable, not ${String(error)}`);
  return error.message;
}

function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** It answers every request with the same result. */
const answersAll = (result: object): string =>
  `for (const [, id] of text.matchAll(/"id":(\\d+)/g)) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: Number(id), result: ${JSON.stringify(result)} });
    say("Content-Length: " + body.length + "\\r\\n\\r\\n" + body);
  }`;

const neverReady = { "answers nothing": "", "talks nonsense": 'say("blah blah\\n".repeat(10));' };

export const copilotBreakdowns: readonly OwnCase[] = [
  {
    name: "the program on PATH is enough: a turn runs with no package installed",
    async run({ harness, place }) {
      const bin = harness.newFolder();
      const own = `node_modules/@github/copilot-${process.platform}-${process.arch}/copilot`;
      // A link would lead into this checkout, which may be the current folder.
      writeFileSync(join(bin, "copilot"), `#!/bin/sh\nexec '${join(import.meta.dirname, own)}' "$@"\n`, {
        mode: 0o755,
      });
      const variables = { ...copilotVariables(place), PATH: `${bin}:/usr/bin:/bin` };
      const client = createCopilotClient({ ...rigHost(place, variables), packagesFrom: bin });
      const folder = harness.newFolder();
      const session = await client.open({ cwd: folder, ...harness.open });
      const { end } = await completeTurn(session, harness.prompt("answer", folder));
      assert.equal(end.text, contractTexts.answer);
      assert.equal((await client.check()).program?.path, join(bin, "copilot"));
      await client.close();
    },
  },
  ...Object.entries(neverReady).map(([name, reply]) => ({
    name: `a program that ${name} ends with its client`,
    async run(context: SuiteContext) {
      const it = pretender(context, name.replace(" ", "-"), reply);
      const opening = refusal(open(it));
      await eventually("it was spoken to", () => it.pid() !== undefined);
      await it.client.close();
      assert.equal(isAlive(it.pid()), false, "the program has ended");
      assert.match(await opening, /does not work as Copilot/);
    },
  })),
  {
    name: "a program that dies when it is spoken to is refused with how it ended",
    async run(context) {
      const it = pretender(context, "dies", 'console.error("no such luck"); process.exit(3);');
      assert.match(await refusal(open(it)), /exit code 3.*no such luck/);
      await it.client.close();
    },
  },
  {
    name: "a program that is too old is refused with both versions when it is started",
    async run(context) {
      const it = pretender(context, "old", answersAll({ ok: true, protocolVersion: 3, version: "1.0.7" }));
      assert.match(await refusal(open(it)), /GitHub Copilot CLI 1\.0\.7, and at least 1\.0\.\d+ is needed/);
      await it.client.close();
      assert.equal(isAlive(it.pid()), false, "the program has ended");
    },
  },
];
