// Which folder may import which: the picture of docs/architecture.md as data. The rule house/import-direction reads it.
// The first layer whose pattern matches a path owns it. `imports` names the layers below; a layer may always import
// itself. `packages: false` means that the layer imports no package and no built-in module either.

/** @typedef {{ name: string, pattern: RegExp, imports: readonly string[], packages?: boolean }} Layer */

const ports = ["lib", "journal-port", "events", "graph", "processes", "agents", "tasks"];
const middle = [
  ...ports,
  "transcript",
  "chat",
  "nodes",
  "session-view",
  "workflows",
  "catalog",
  "settings",
  "commands",
];
const frontEnds = [...ports, "transcript", "chat", "session-view", "app"];
// Only what wires or re-exports may name these (and `workflows` the stores, see there).
const concrete = ["journal-stores", "agent-backends"];

/** @type {readonly Layer[]} */
const layers = [
  { name: "lib", pattern: /^src\/lib\//, imports: [] },
  { name: "journal-port", pattern: /^src\/journal\/port\.ts$/, imports: ["lib"], packages: false },
  { name: "journal-stores", pattern: /^src\/journal\//, imports: ["lib", "journal-port"] },
  // The union of everything a journal may hold.
  { name: "events", pattern: /^src\/events\//, imports: ["lib", "journal-port"], packages: false },
  { name: "graph", pattern: /^src\/workflows\/graph\//, imports: ["lib", "journal-port", "events"], packages: false },
  // Child processes: environments, finding and starting programs, ending what was left. No agent is known there.
  { name: "processes", pattern: /^src\/agents\/(process\/|clip\.ts|within\.ts)/, imports: ["lib"] },
  { name: "agents", pattern: /^src\/agents\/[^/]+$/, imports: ["lib", "journal-port", "events", "graph", "processes"] },
  {
    name: "agent-backends",
    pattern: /^src\/agents\//,
    imports: ["lib", "journal-port", "events", "graph", "processes", "agents"],
  },
  // What agents said and did, beside the journal.
  {
    name: "transcript",
    pattern: /^src\/transcript\//,
    imports: ["lib", "journal-port", "events", "agents", "processes"],
  },
  { name: "tasks", pattern: /^src\/tasks\//, imports: ["lib", "journal-port", "events", "graph"] },
  // What a chat's record holds, and how it looks: a fold, like that of a run.
  { name: "chat", pattern: /^src\/chat\//, imports: ["lib", "journal-port", "agents"] },
  { name: "nodes", pattern: /^src\/nodes\//, imports: ports },
  // What a run looks like, as a fold of its events and in words: the executor writes it down, front ends show it.
  {
    name: "session-view",
    pattern:
      /^src\/workflows\/(sessions\/(session-view|empty-view|session-history|agent-sessions|agent-outages|progress-text|visit-views|turn-views|live-view|graph-shape|state-value|branch-order|recorded-state|running-commands|command-note|changed-files|tree-prefix)|limits\/(run-spending|amounts))\.ts$/,
    imports: [...ports, "transcript"],
  },
  // The library has no main.ts: what an author gets without wiring anything is chosen here.
  {
    name: "workflows",
    pattern: /^src\/workflows\//,
    imports: [...ports, "transcript", "nodes", "session-view", "journal-stores"],
  },
  { name: "catalog", pattern: /^src\/catalog\//, imports: [...ports, "nodes", "workflows"] },
  { name: "settings", pattern: /^src\/settings\//, imports: ["lib"] },
  { name: "commands", pattern: /^src\/commands\//, imports: [...ports, "nodes", "workflows", "catalog"] },
  { name: "app", pattern: /^src\/app\//, imports: middle },
  // Front ends read events and call the app; what an event holds is described by the layers that emit it.
  { name: "cli", pattern: /^src\/cli\//, imports: frontEnds },
  { name: "tui", pattern: /^src\/tui\//, imports: frontEnds },
  { name: "web", pattern: /^src\/web\//, imports: frontEnds },
  { name: "testing", pattern: /^src\/testing\//, imports: [...middle, ...concrete] },
  { name: "public", pattern: /^src\/public\//, imports: [...middle, ...concrete, "testing"] },
  {
    name: "main",
    // The notices are in the project's folder, where npm and people look for them.
    pattern: /^(src\/main(\.ts$|\/)|THIRD_PARTY_NOTICES\.md$)/,
    imports: [...middle, ...concrete, "app", "cli", "tui", "web", "testing", "public"],
  },
];

// The folders of the engine, below each other in the same way. `run` schedules and records; nodes and builders stand
// on it.
const engine = /^src\/workflows\/graph\/([a-z]+)\//;
/** @type {Readonly<Record<string, readonly string[]>>} */
const engineFolders = {
  model: [],
  compile: ["model"],
  schedule: ["model", "compile"],
  record: ["model", "compile", "schedule"],
  run: ["model", "compile", "schedule", "record"],
  stream: ["model", "compile", "run"],
  nodes: ["model", "compile", "run"],
  build: ["model", "compile", "run", "nodes"],
};

/**
 * Whether an import between two files of the engine goes down.
 * @param {string} from
 * @param {string} to
 */
export function isDownInEngine(from, to) {
  const [importer, imported] = [engine.exec(from)?.[1], engine.exec(to)?.[1]];
  if (imported === undefined || importer === imported) return true;
  return importer !== undefined && (engineFolders[importer] ?? []).includes(imported);
}

/** @param {string} path relative to the project, with forward slashes */
export function layerOf(path) {
  return layers.find((layer) => layer.pattern.test(path));
}
