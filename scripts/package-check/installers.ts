// One entry per package manager: how a user adds the tarball to a project, and how they start a program then.

import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mustRun, runCommand } from "../run-command.ts";
import { environment, projectRoot, writeConsumer } from "./packed.ts";
import { pnpm, yarn } from "./tools.ts";

interface Installation {
  readonly folder: string;
  readonly tarball: string;
  /** The environment of all commands: a separate home, so that no store or cache of this machine is used. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Installer {
  readonly name: string;
  /** Commands that add the tarball to the project in the current folder. */
  readonly add: (installation: Installation) => readonly (readonly string[])[];
  /** Starts the program. */
  readonly atomic: readonly string[] | ((installation: Installation) => readonly string[]);
  /** Starts Node so that it finds the library. Absent: projects can't import the library. */
  readonly node?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: (folder: string) => Readonly<Record<string, string>>;
  /** A file that shows that the install was of this kind. */
  readonly leaves?: string;
  /** False if Bun is not installed: the program must then say so. */
  readonly hasBun?: boolean;
}

const local = ["node_modules/.bin/atomic"];
const npm = ["npm", "install", "--prefer-offline", "--no-audit", "--no-fund"];

/**
 * OpenTUI 0.4.5 names a native package that was never published in that version. Only Yarn refuses to skip a package
 * that it can't find, so a project says which one to take (docs/platforms.md).
 */
const yarnResolution = ["npm", "pkg", "set", "resolutions[@opentui/core-linux-arm64-musl]=0.4.1"];

export const installers: readonly Installer[] = [
  { name: "npm", add: ({ tarball }) => [[...npm, tarball]], atomic: local, node: ["node"] },
  {
    name: "npm --ignore-scripts",
    add: ({ tarball }) => [[...npm, "--ignore-scripts", tarball]],
    atomic: local,
    node: ["node"],
  },
  {
    name: "npm --omit=optional",
    add: ({ tarball }) => [[...npm, "--omit=optional", tarball]],
    atomic: local,
    node: ["node"],
    hasBun: false,
  },
  {
    name: "npm --global",
    add: ({ tarball, folder }) => [[...npm, "--global", "--prefix", join(folder, "prefix"), tarball]],
    atomic: ({ folder }) => [join(folder, "prefix/bin/atomic")],
  },
  {
    name: "pnpm",
    add: ({ tarball }) => [[...pnpm, "add", tarball]],
    leaves: "node_modules/.pnpm",
    atomic: local,
    node: ["node"],
  },
  {
    name: "pnpm --no-optional",
    add: ({ tarball }) => [[...pnpm, "add", "--no-optional", tarball]],
    atomic: local,
    node: ["node"],
    hasBun: false,
  },
  {
    name: "Yarn Plug'n'Play",
    files: { ".yarnrc.yml": yarnSettings("pnp") },
    leaves: ".pnp.cjs",
    add: ({ tarball }) => [yarnResolution, [...yarn, "add", `atomic@file:${tarball}`]],
    atomic: [...yarn, "run", "atomic"],
    node: [...yarn, "node"],
  },
  {
    name: "Yarn with node_modules",
    files: { ".yarnrc.yml": yarnSettings("node-modules") },
    leaves: "node_modules/.yarn-state.yml",
    add: ({ tarball }) => [yarnResolution, [...yarn, "add", `atomic@file:${tarball}`]],
    atomic: local,
    node: ["node"],
  },
  {
    name: "Bun",
    add: ({ tarball }) => [[process.execPath, "add", tarball]],
    atomic: local,
    node: ["node"],
    env: (folder) => ({ BUN_INSTALL_CACHE_DIR: join(folder, "cache") }),
  },
];

function yarnSettings(linker: string): string {
  return `nodeLinker: ${linker}\nenableTelemetry: false\nenableGlobalCache: false\nenableScripts: false\n`;
}

/** Adds the tarball to a new project, and uses the library and the program there. */
export async function tryInstaller(installer: Installer, folder: string, tarball: string): Promise<string> {
  writeConsumer(folder);
  for (const [name, text] of Object.entries(installer.files ?? {})) writeFileSync(join(folder, name), text);
  const registry = (await mustRun(["npm", "config", "get", "registry"], { cwd: folder, env: environment })).trim();
  const home = join(folder, "home");
  mkdirSync(home);
  const env = {
    ...environment,
    CI: "true",
    XDG_DATA_HOME: join(home, "data"),
    XDG_CACHE_HOME: join(home, "cache"),
    XDG_CONFIG_HOME: join(home, "config"),
    YARN_GLOBAL_FOLDER: join(home, "yarn"),
    YARN_NPM_REGISTRY_SERVER: registry,
    ...(registry.startsWith("http:") ? { YARN_UNSAFE_HTTP_WHITELIST: new URL(registry).hostname } : {}),
    ...installer.env?.(folder),
  };
  const installation = { folder, tarball, env };
  for (const command of installer.add(installation)) await mustRun(command, { cwd: folder, env, timeoutMs: 300_000 });
  if (installer.leaves !== undefined && !existsSync(join(folder, installer.leaves))) {
    throw new Error(`The install left no ${installer.leaves}.`);
  }
  if (installer.node !== undefined) {
    cpSync(join(projectRoot, "scripts/package-consumer/run.js"), join(folder, "run.js"));
    await mustRun([...installer.node, "run.js"], { cwd: folder, env, timeoutMs: 60_000 });
  }
  const program = typeof installer.atomic === "function" ? installer.atomic(installation) : installer.atomic;
  const options = { cwd: folder, env: { ...env, HOME: home }, timeoutMs: 60_000 };
  if (installer.hasBun === false) {
    const { exitCode, stderr } = await runCommand([...program, "--version"], options);
    const isSaid = stderr.includes("Bun, which runs this program, was not installed with it.");
    if (exitCode !== 1 || !isSaid)
      throw new Error(`Without Bun the program ended with ${exitCode} and said:\n${stderr}`);
    return "the library works, and the program says that Bun is missing";
  }
  return useProgram(program, folder, options);
}

async function useProgram(
  program: readonly string[],
  folder: string,
  options: Parameters<typeof mustRun>[1],
): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")) as { version: string };
  const printed = await mustRun([...program, "--version"], options);
  if (printed.trim() !== version) throw new Error(`atomic --version printed "${printed.trim()}", not ${version}.`);
  await mustRun([...program, "doctor"], options);
  await mustRun([...program, "init"], options);
  if (!existsSync(join(folder, ".atomic/workflows/hello.ts"))) throw new Error("`atomic init` made no workflow.");
  const greeting = await mustRun([...program, "run", "hello", "Zoë ✓"], options);
  if (!greeting.includes("Hello, Zoë ✓. Your name has 5 letters.")) throw new Error(`hello printed:\n${greeting}`);
  const missing = await runCommand([...program, "run", "no-such-workflow"], options);
  if (missing.exitCode !== 2) throw new Error(`The exit code of an unknown workflow is ${missing.exitCode}, not 2.`);
  return "the library and the program work";
}
