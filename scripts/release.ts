// `npm run release`: everything a user can install, in build/release (or --out DIR): the tarball for npm, the program
// as one file for each platform, the notices of what those contain, and the checksums of all of them.
// `--targets linux-x64,darwin-arm64` builds single files for those only; `--targets none` builds the tarball alone.
//
// The Bun binaries of other platforms come from the same npm packages that installing Atomic would use.

import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { buildSingleFile } from "./build-single-file.ts";
import { releaseTargets, targetNamed, type ReleaseTarget } from "./release-targets.ts";
import { mustRun } from "./run-command.ts";
import { scriptOptions } from "./script-options.ts";

const root = join(import.meta.dir, "..");
const values = scriptOptions(import.meta.path, {
  out: { type: "string", default: join(root, "build/release") },
  targets: { type: "string" },
});
const out = resolve(values.out);
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
const targets = chosenTargets(values.targets);

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const temp = mkdtempSync(join(tmpdir(), "atomic-release-"));
const files: string[] = [];
try {
  files.push(await packTarball());
  for (const target of targets) files.push(await buildFor(target));
  copyFileSync(join(root, "THIRD_PARTY_NOTICES.md"), join(out, "THIRD_PARTY_NOTICES.md"));
  files.push("THIRD_PARTY_NOTICES.md");
  writeFileSync(join(out, "SHA256SUMS"), files.map((name) => `${sha256(join(out, name))}  ${name}\n`).join(""));
} finally {
  rmSync(temp, { recursive: true, force: true });
}
for (const name of [...files, "SHA256SUMS"]) console.log(join(out, name));

function chosenTargets(names: string | undefined): readonly ReleaseTarget[] {
  if (names === undefined) return releaseTargets;
  return names === "none" ? [] : names.split(",").map(targetNamed);
}

async function packTarball(): Promise<string> {
  await mustRun(["npm", "pack", "--silent", "--pack-destination", out], { cwd: root });
  const name = `atomic-${version}.tgz`;
  if (!existsSync(join(out, name))) throw new Error(`npm pack left no ${name} in ${out}.`);
  return name;
}

async function buildFor(target: ReleaseTarget): Promise<string> {
  const name = `atomic-${version}-${target.name}`;
  const outfile = join(out, name);
  if (target.isHost) await buildSingleFile({ outfile });
  else await buildSingleFile({ outfile, foreign: { target: target.bunTarget, bun: await fetchBun(target) } });
  chmodSync(outfile, 0o755);
  return name;
}

/** The Bun binary of another platform, from the package that npm would install there. */
async function fetchBun({ bunPackage }: ReleaseTarget): Promise<string> {
  const folder = join(temp, basename(bunPackage));
  mkdirSync(folder);
  const packed = await mustRun(
    ["npm", "pack", "--silent", "--pack-destination", folder, `${bunPackage}@${Bun.version}`],
    {
      cwd: folder,
    },
  );
  await mustRun(["tar", "-xzf", join(folder, packed.trim()), "-C", folder], { cwd: folder });
  return join(folder, "package/bin/bun");
}

function sha256(file: string): string {
  return new Bun.CryptoHasher("sha256").update(readFileSync(file)).digest("hex");
}
