// Runs the contract of the agent port, and what a backend adds to it, against one real program, and then checks what
// the suite left behind: no process, nothing in the user's home. Started by scripts/test-agents.ts, one file at a time.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentContract } from "../../src/testing/contracts/agent-contract.ts";
import { eventually, processesOf, type AgentHarness } from "../../src/testing/contracts/agent-harness.ts";
import { contractScenarios } from "../../src/testing/contracts/agent-scenarios.ts";
import { startModelServer, type ModelServer } from "../../src/testing/model-server/model-server.ts";
import type { Scenarios } from "../../src/testing/model-server/scenario.ts";
import { rigHarness, type RigBackend, type RigPlace } from "./rig.ts";

export interface SuiteContext {
  readonly harness: AgentHarness;
  readonly place: RigPlace;
  readonly server: ModelServer;
}

/** A case of one backend, besides those of the contract. */
export interface OwnCase {
  readonly name: string;
  readonly run: (context: SuiteContext) => Promise<void>;
}

export interface OwnCases {
  readonly scenarios?: Scenarios | undefined;
  readonly cases?: readonly OwnCase[] | undefined;
}

/** Generous: a loaded machine of two cores starts some of the programs in ten seconds. */
const caseLimitMs = 180_000;

export function agentSuite(backend: RigBackend, own: OwnCases = {}): void {
  const { kind } = backend;
  // Short: programs open sockets below it, whose paths may have at most 104 bytes.
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agents-")));
  const homeBefore = agentFilesOf(personsHome());
  let context: SuiteContext;

  beforeAll(async () => {
    const server = await startModelServer({
      scenarios: { ...contractScenarios(backend.vocabulary, backend.ownToolName), ...own.scenarios },
      models: [String(backend.open.model), backend.otherModel],
    });
    mkdirSync(join(root, "home"));
    const place: RigPlace = { root, modelUrl: server.url };
    context = { place, server, harness: rigHarness(backend, place, server) };
    // Some programs say what they can do only when they run.
    await context.harness.client.check();
  }, caseLimitMs);

  for (const { name, run } of agentContract) test(`${kind}: ${name}`, () => run(context.harness), caseLimitMs);
  for (const { name, run } of own.cases ?? []) test(`${kind}: ${name}`, () => run(context), caseLimitMs);

  test(
    `${kind}: the suite leaves no process and nothing in the person's home`,
    async () => {
      reportCapabilities(kind, context.harness);
      await context.harness.client.close();
      await eventually("no process of the suite is left", () => [...processesOf(root), ...heirsOf(root)].length === 0);
      expect(agentFilesOf(personsHome())).toEqual(homeBefore);
    },
    caseLimitMs,
  );

  afterAll(async () => {
    await context.harness.client.close();
    await context.server.close();
    rmSync(root, { recursive: true, force: true });
  }, caseLimitMs);
}

/** Processes with a home or a temporary folder of the suite, wherever they work: a program of several sessions. */
function heirsOf(folder: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      const isDead = /^[ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1) ?? "");
      return !isDead && readFileSync(`/proc/${pid}/environ`, "latin1").includes(`=${folder}/`);
    } catch {
      return false;
    }
  });
}

/** The home of a program that ignores HOME, which points into the suite's own folder here. */
function personsHome(): string {
  const uid = String(process.getuid?.());
  const fields = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .find((line) => line[2] === uid);
  const home = fields?.[5];
  if (home === undefined || home === "") throw new Error(`/etc/passwd names no home for user ${uid}.`);
  return home;
}

/** Names of what agents keep in a home, where they would put it. Names only: the files are a user's. */
function agentFilesOf(home: string): readonly string[] {
  return [".", ".config", ".cache", ".local/share", ".local/state"]
    .flatMap((folder) => namesIn(join(home, folder)).map((name) => join(folder, name)))
    .filter((name) => /atomic|claude|opencode|copilot|acp/i.test(name))
    .sort();
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** For the table that scripts/test-agents.ts prints. At the end, because agents may say more with every session. */
function reportCapabilities(kind: string, { client: { capabilities } }: AgentHarness): void {
  const folder = process.env["ATOMIC_CAPABILITIES"];
  if (folder !== undefined) writeFileSync(join(folder, `${kind}.json`), JSON.stringify({ kind, capabilities }));
}
