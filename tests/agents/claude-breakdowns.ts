// Claude's program when it is missing, old or broken, or dies: one clear failure each, and nothing left behind.

import assert from "node:assert/strict";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClaudeClient } from "../../src/agents/claude/claude-client.ts";
import type { AgentClient } from "../../src/agents/port.ts";
import type { BackendHost } from "../../src/agents/process/backend-host.ts";
import { AtomicError } from "../../src/lib/errors.ts";
import {
  completeTurn,
  describeEnd,
  eventually,
  openSession,
  processesOf,
  readTurn,
} from "../../src/testing/contracts/agent-harness.ts";
import { contractTexts } from "../../src/testing/contracts/agent-scenarios.ts";
import type { OwnCase, SuiteContext } from "./agent-suite.ts";
import { claudeVariables } from "./backends/claude.ts";
import { rigHost } from "./rig.ts";

function clientOn({ place }: SuiteContext, changes: Partial<BackendHost>): AgentClient {
  return createClaudeClient({ ...rigHost(place, claudeVariables(place)), ...changes });
}

/** A shell script in the program's place. */
function script(context: SuiteContext, lines: string): Partial<BackendHost> {
  const file = join(mkdtempSync(join(context.place.root, "program-")), "claude");
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o755);
  return { programs: { claude: file } };
}

async function refused(client: AgentClient, folder: string): Promise<string> {
  const error: unknown = await client.open({ cwd: folder }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(AtomicError.is(error, "AGENT_UNAVAILABLE"), `refused as unavailable, not ${String(error)}`);
  const report = await client.check();
  assert.equal(report.isUsable, false);
  assert.equal(report.notes.length, 1);
  await client.close();
  await eventually("no process works in the folder", () => processesOf(folder).length === 0);
  return error.message;
}

export const claudeBreakdowns: readonly OwnCase[] = [
  {
    name: "a program that is missing is named, with how to install it",
    async run(context) {
      const folder = context.harness.newFolder();
      const empty = context.harness.newFolder();
      const { environment } = rigHost(context.place, { PATH: empty });
      const noPackage = await refused(clientOn(context, { packagesFrom: empty, environment }), folder);
      assert.match(noPackage, /"claude" was not found.*npm install -g @anthropic-ai\/claude-code/);
      const wrongSetting = await refused(clientOn(context, { programs: { claude: join(empty, "claude") } }), folder);
      assert.match(wrongSetting, /The setting agents\.claude\.path/);
    },
  },
  {
    name: "the program on PATH is enough: a turn runs with no package installed",
    async run(context) {
      const { harness } = context;
      const bin = harness.newFolder();
      const own = `node_modules/@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/claude`;
      // A link would lead into this checkout, which may be the current folder.
      writeFileSync(join(bin, "claude"), `#!/bin/sh\nexec '${join(import.meta.dirname, own)}' "$@"\n`, { mode: 0o755 });
      const { environment } = rigHost(context.place, {
        ...claudeVariables(context.place),
        PATH: `${bin}:/usr/bin:/bin`,
      });
      const client = clientOn(context, { packagesFrom: bin, environment });
      const folder = harness.newFolder();
      const session = await client.open({ cwd: folder, ...harness.open });
      const { end } = await completeTurn(session, harness.prompt("answer", folder));
      assert.equal(end.text, contractTexts.answer);
      const report = await client.check();
      assert.equal(report.program?.path, join(bin, "claude"));
      await client.close();
    },
  },
  {
    name: "a package that npm installed for all programs is found through PATH",
    async run(context) {
      const prefix = context.harness.newFolder();
      const packages = join(prefix, "lib/node_modules/@anthropic-ai");
      const own = join(import.meta.dirname, "node_modules/@anthropic-ai");
      cpSync(join(own, "claude-agent-sdk"), join(packages, "claude-agent-sdk"), { recursive: true });
      const platform = `claude-agent-sdk-${process.platform}-${process.arch}`;
      const inside = join(packages, "claude-agent-sdk/node_modules/@anthropic-ai");
      mkdirSync(inside, { recursive: true });
      symlinkSync(join(own, platform), join(inside, platform));
      const { environment } = rigHost(context.place, { PATH: `${prefix}/bin:/usr/bin:/bin` });
      const client = clientOn(context, { packagesFrom: prefix, environment });
      const report = await client.check();
      assert.equal(report.isUsable, true, report.notes.join(" "));
      assert.ok(report.program?.path.startsWith(inside));
      await client.close();
    },
  },
  {
    name: "a program that is too old is refused with both versions",
    async run(context) {
      const old = script(context, 'echo "1.0.17 (Claude Code)"');
      assert.match(await refused(clientOn(context, old), context.harness.newFolder()), /1\.0\.17.*2\.1\.\d+ is needed/);
    },
  },
  {
    name: "a program that prints garbage is refused with what it printed",
    async run(context) {
      const garbage = script(context, "head -c 20000 /dev/urandom; echo nonsense");
      assert.match(await refused(clientOn(context, garbage), context.harness.newFolder()), /does not work/);
      const words = script(context, "echo nonsense");
      assert.match(await refused(clientOn(context, words), context.harness.newFolder()), /nonsense/);
    },
  },
  {
    name: "a program that ends before it says its version is refused with what it said",
    async run(context) {
      const started = join(context.harness.newFolder(), "started");
      // The session's process writes its number and ends; the one that is asked for its version waits for that end.
      const gone = `[ -s '${started}' ] && ! kill -0 "$(cat '${started}')" 2>/dev/null`;
      const late = script(
        context,
        `case "$1" in --version) until ${gone}; do sleep 0.02; done; echo nonsense ;; *) echo $$ >'${started}' ;; esac`,
      );
      assert.match(await refused(clientOn(context, late), context.harness.newFolder()), /nonsense/);
    },
  },
  {
    name: "a program that dies at its start is refused with what it said",
    async run(context) {
      const dying = script(
        context,
        'case "$1" in --version) echo "9.9.9 (Claude Code)" ;; *) echo "no such luck" >&2; exit 3 ;; esac',
      );
      const client = clientOn(context, dying);
      await assert.rejects(client.open({ cwd: context.harness.newFolder() }), (error) => {
        assert.ok(AtomicError.is(error, "AGENT_UNAVAILABLE"));
        assert.match(error.message, /no such luck/);
        return true;
      });
      await client.close();
    },
  },
  {
    name: "a program that talks nonsense after a good start is refused in time",
    async run(context) {
      const talking = script(
        context,
        'case "$1" in --version) echo "9.9.9 (Claude Code)" ;; *) echo "{ not json"; echo \'{"type":"odd"}\'; cat >/dev/null ;; esac',
      );
      const client = clientOn(context, talking);
      const folder = context.harness.newFolder();
      await assert.rejects(client.open({ cwd: folder, limits: { openMs: 3000 } }), (error) =>
        AtomicError.is(error, "AGENT_UNAVAILABLE"),
      );
      await client.close();
      await eventually("no process works in the folder", () => processesOf(folder).length === 0);
    },
  },
  {
    name: "a program that dies in the middle of a turn fails it, and the next turn continues where it was",
    async run({ harness }) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      await completeTurn(session, harness.prompt("answer", folder));
      const { end } = await readTurn(session, harness.prompt("slow", folder), {
        onEvent(event) {
          if (event.type === "text.delta") for (const pid of processesOf(folder)) process.kill(pid, "SIGKILL");
        },
      });
      assert.ok(
        end.type === "turn.failed" && end.failure.kind === "crashed" && end.failure.retryable,
        describeEnd(end),
      );
      const { end: next } = await completeTurn(session, harness.prompt("recall", folder));
      // The prompt it died over may or may not have reached its transcript.
      assert.match(next.text, /I remember [23] tasks/);
      await session.close();
    },
  },
  {
    name: "a program that dies between turns is started again",
    async run({ harness }) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      await completeTurn(session, harness.prompt("answer", folder));
      for (const pid of processesOf(folder)) process.kill(pid, "SIGKILL");
      await eventually("it is dead", () => processesOf(folder).length === 0);
      const { end } = await completeTurn(session, harness.prompt("recall", folder));
      assert.match(end.text, /I remember 2 tasks/);
      await session.close();
    },
  },
  {
    name: "a model that says nothing to the very first prompt leaves a session that can be used",
    async run({ harness }) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder, { limits: { silenceMs: harness.silenceMs } });
      const { end } = await readTurn(session, harness.prompt("silent", folder));
      assert.ok(end.type === "turn.failed" && end.failure.kind === "timeout", describeEnd(end));
      const next = await completeTurn(session, harness.prompt("answer", folder));
      assert.equal(next.end.sessionId, session.id);
      assert.equal(next.end.text, contractTexts.answer);
      await session.close();
    },
  },
];
