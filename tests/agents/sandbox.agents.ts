// The real programs in the sandbox, through the command line: what a model asks them to do outside their folder fails,
// whichever of their tools does it, and what they need for their own work still works. The same is done without a sandbox
// first, where it succeeds: a trap that stopped working would be noticed.

import { afterAll, beforeAll, setDefaultTimeout, test } from "bun:test";
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { eventually, processesOf } from "../../src/testing/contracts/agent-harness.ts";
import { startModelServer, type ModelServer } from "../../src/testing/model-server/model-server.ts";
import type { Scenario } from "../../src/testing/model-server/scenario.ts";
import type { AgentVocabulary } from "../../src/testing/model-server/vocabulary.ts";
import { createCliWorld, type Ended } from "../cli/cli-world.ts";
import { canSandbox } from "../support/require-sandbox.ts";
import { acpVariables, acpCommand } from "./backends/acp.ts";
import { claudeProgram, copilotProgram, opencodeProgram, type RalphProgram } from "./ralph-programs.ts";

setDefaultTimeout(240_000);
const isPossible = await canSandbox();

interface Program extends Pick<RalphProgram, "kind" | "vocabulary" | "model" | "variables"> {
  /** What `-a` takes. */
  readonly agent: string;
}

const programs: readonly Program[] = [
  ...[claudeProgram, opencodeProgram, copilotProgram].map((program) => ({ ...program, agent: program.kind })),
  {
    // As most people have it: a folder and a file in the home folder.
    ...claudeProgram,
    kind: "claude-at-home",
    agent: "claude",
    variables: (place) => {
      const { CLAUDE_CONFIG_DIR: _, ...others } = claudeProgram.variables(place);
      return others;
    },
  },
  {
    kind: "acp",
    agent: `acp:${acpCommand}`,
    vocabulary: claudeProgram.vocabulary,
    model: claudeProgram.model,
    variables: acpVariables,
  },
];
const world = createCliWorld();
const servers = new Map<string, ModelServer>();
const environments = new Map<string, Readonly<Record<string, string>>>();
const outside = join(world.root, "outside");
/** A host that no list allows. */
let stranger: Server;
let visits = 0;

beforeAll(async () => {
  stranger = createServer((_, response) => response.end(`visit ${++visits}\n`));
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
  const npm = join(world.root, "npm");
  for (const folder of [join(npm, "bin"), join(npm, "lib"), outside]) mkdirSync(folder, { recursive: true });
  symlinkSync(join(import.meta.dirname, "node_modules"), join(npm, "lib/node_modules"));
  const home = (folder: string): string => join(world.home, folder);
  for (const { kind, vocabulary, model, variables } of programs) {
    const server = await startModelServer({
      scenarios: { escape: escape(vocabulary), labour: labour(vocabulary) },
      models: [model],
    });
    servers.set(kind, server);
    environments.set(kind, {
      PATH: [join(npm, "bin"), world.env["PATH"]].join(":"),
      XDG_CONFIG_HOME: home(".config"),
      XDG_CACHE_HOME: home(".cache"),
      XDG_DATA_HOME: home(".local/share"),
      XDG_STATE_HOME: home(".local/state"),
      ATOMIC_MODEL: model,
      ATOMIC_SANDBOX_HOSTS: new URL(server.url).host,
      // A name for a login of the user's that the sandbox has to keep to itself.
      SSH_AUTH_SOCK: join(world.root, "agent.sock"),
      ...variables({ root: world.root, modelUrl: server.url }),
    });
  }
  world.workflow(
    "ask",
    `import { agentNode, graph } from "atomic/workflows";
export const name = "ask";
export default () => graph().start(agentNode({ id: "ask", prompt: (state) => state.prompt }));
`,
  );
  const git = (...args: readonly string[]): void => {
    const { exitCode, stderr } = Bun.spawnSync(["git", ...args], { cwd: world.project, env: { ...world.env } });
    assert.equal(exitCode, 0, stderr.toString());
  };
  git("init", "-q");
  git("-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "-q", "--allow-empty", "-m", "start");
});

afterAll(async () => {
  await Promise.all([...servers.values()].map((server) => server.close()));
  stranger?.close();
});

/** What the model asks the program to do, one step after the other; each writes how it went into the project. */
function escape(words: AgentVocabulary): Scenario {
  return ({ folder: place }) => {
    const port = (stranger.address() as AddressInfo).port;
    const tries = [
      [`echo x > '${outside}/by-shell.txt'`, "outside"],
      [`echo x > '${world.project}/.git/hooks/pre-commit'`, "hooks"],
      [`git -C '${world.project}' config core.pager evil`, "config"],
      [`curl -sS -m 10 --noproxy '*' http://127.0.0.1:${port}/ `, "direct"],
      [
        `curl -sSf -m 10 --noproxy '' -x "\${HTTP_PROXY:-http://127.0.0.1:${port}}" http://127.0.0.1:${port}/`,
        "proxied",
      ],
      [`test -z "$SSH_AUTH_SOCK"`, "no-agent-socket"],
      [`echo x > "\${TMPDIR:-/tmp}/scratch"`, "temp"],
      [
        `git -C '${world.project}' -c user.name=T -c user.email=t@example.com commit -q --allow-empty -m inside`,
        "commit",
      ],
      [`echo x > '${world.project}/inside.txt'`, "inside"],
    ] as const;
    const script = tries.map(([command, name]) => `{ ${command}; } >/dev/null 2>&1 && echo ${name}`).join("\n");
    return [
      { tools: [words.write(`${outside}/by-tool.txt`, "x")] },
      { tools: [words.shell(`{ ${script}\n} > '${place}' 2>&1; true`)] },
      { text: "Tried." },
    ];
  };
}

/** A task: tries to reach the user's folder and repository, and then does its work. */
function labour(words: AgentVocabulary): Scenario {
  return ({ folder: task }) => {
    const tries = [
      [`echo x > '${world.project}/by-worker.txt'`, "project"],
      [`git -C '${world.project}' branch by-worker`, "branch"],
      [`git -C '${world.project}' stash`, "stash"],
      ["git stash list", "own-stash"],
    ] as const;
    const script = tries.map(([command, name]) => `{ ${command}; } >/dev/null 2>&1 && echo ${name}`).join("\n");
    return [{ tools: [words.shell(`{ ${script}\n} > 'done-${task}.txt' 2>&1; true`)] }, { text: "Done." }];
  };
}

async function tryToEscape({ kind, agent }: Program, mode: string): Promise<{ run: Ended; did: readonly string[] }> {
  const place = join(world.project, `${kind}-${mode}.txt`);
  rmSync(outside, { recursive: true });
  mkdirSync(outside);
  rmSync(join(world.project, ".git/hooks/pre-commit"), { force: true });
  visits = 0;
  const words = ["run", "ask", `Do it: @@escape:${place}`, "-a", agent, "--sandbox", mode, "--trust"];
  const run = await world.start(words, { env: environments.get(kind) ?? {} }).ended;
  assert.equal(run.exitCode, 0, `${run.stderr}\n${run.stdout}`);
  assert.match(run.stderr, new RegExp(`sandbox ${mode}`));
  return { run, did: readFileSync(place, "utf8").trim().split("\n") };
}

for (const program of programs) {
  test(`${program.kind}: without a sandbox all of it succeeds`, async () => {
    const { did } = await tryToEscape(program, "off");
    const all = ["outside", "hooks", "config", "direct", "proxied", "temp", "commit", "inside"];
    assert.deepEqual(did, all);
    assert.equal(existsSync(join(outside, "by-tool.txt")), true);
    assert.equal(visits, 2);
    Bun.spawnSync(["git", "config", "--unset", "core.pager"], { cwd: world.project, env: { ...world.env } });
  });

  test.skipIf(!isPossible)(
    `${program.kind}: the sandbox refuses writes outside and to hooks and configuration of git`,
    async () => {
      const { did } = await tryToEscape(program, "worktree");
      assert.deepEqual(did, ["direct", "proxied", "no-agent-socket", "temp", "commit", "inside"]);
      assert.equal(existsSync(join(outside, "by-shell.txt")), false);
      assert.equal(existsSync(join(outside, "by-tool.txt")), false);
      assert.equal(existsSync(join(world.project, ".git/hooks/pre-commit")), false);
    },
  );

  test.skipIf(!isPossible)(`${program.kind}: the strict sandbox also refuses a host that is not allowed`, async () => {
    const { did } = await tryToEscape(program, "strict");
    assert.deepEqual(did, ["no-agent-socket", "temp", "commit", "inside"]);
    assert.equal(visits, 0);
    assert.equal(existsSync(join(outside, "by-tool.txt")), false);
    await eventually("no process is left", () => processesOf(world.root).length === 0);
  });
}

test.skipIf(!isPossible)("claude: workers in separate trees, in a strict sandbox, land what they did", async () => {
  const features = ["one", "two"].map((id) => ({
    id,
    name: `Task ${id}`,
    description: `Do it. @@labour:${id}`,
    acceptanceCriteria: ["it is there"],
    status: "pending",
    dependencies: [],
  }));
  const list = world.write("features.json", { features });
  const git = (...args: readonly string[]): string =>
    Bun.spawnSync(["git", ...args], { cwd: world.project, env: { ...world.env } }).stdout.toString();
  const refs = git("for-each-ref", "refs/heads", "refs/stash");
  const words = ["ralph", "--feature-list", list, "-a", "claude", "--sandbox", "strict", "--land", "none", "--trust"];
  const checks = ["--max-reviews", "0", "--verify", `! echo x > '${outside}/by-check.txt'`];

  const run = await world.start([...words, ...checks], { env: environments.get("claude") ?? {} }).ended;

  assert.equal(run.exitCode, 0, run.stderr);
  assert.match(run.stderr, /each worker has a separate folder/);
  const head = git("for-each-ref", "--format=%(refname)", "refs/atomic/run").match(/^.*\/head$/m)?.[0] ?? "";
  for (const task of ["one", "two"]) assert.equal(git("show", `${head}:done-${task}.txt`), "own-stash\n");
  assert.equal(git("for-each-ref", "refs/heads", "refs/stash"), refs);
  assert.equal(existsSync(join(world.project, "by-worker.txt")), false);
  assert.equal(existsSync(join(outside, "by-check.txt")), false);
  await eventually("no process is left", () => processesOf(world.root).length === 0);
});
