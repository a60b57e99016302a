// Shared folders on disks that copy files without copying their content (btrfs, XFS): each worker has a copy of its own
// that takes no room. Needs root, a loop device and mkfs of such a disk; `npm run matrix:landing` asks for it
// (ATOMIC_REFLINK=1), other runs leave it out.

import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statfsSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { patienceMs } from "./cli-world.ts";
import { createIsolationWorld } from "./isolation-world.ts";

const wanted = process.env["ATOMIC_REFLINK"] === "1";
const megabyte = 1024 ** 2;
const packageMegabytes = 60;
const system = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };

const disks = [
  ["btrfs", ["mkfs.btrfs", "-q"]],
  ["xfs", ["mkfs.xfs", "-q", "-m", "reflink=1"]],
] as const;

for (const [kind, format] of disks) {
  const isThere = Bun.which(format[0], system) !== null && process.getuid?.() === 0;
  if (wanted && !isThere) process.stderr.write(`SKIPPED: shared folders on ${kind} (needs root and ${format[0]})\n`);
  test.if(wanted && isThere)(
    `on ${kind}, workers have copies of shared folders that take no room, and change only their own`,
    async () => {
      const world = createIsolationWorld();
      const image = join(world.root, "image");
      const disk = join(world.root, "disk");
      const project = join(disk, "project");
      mkdirSync(disk);
      writeFileSync(image, "");
      truncateSync(image, 400 * megabyte);
      must(...format, image);
      must("mount", "-o", "loop", image, disk);
      try {
        world.git("clone", "-q", world.project, project);
        writeFileSync(join(project, ".git/info/exclude"), "node_modules/\n");
        mkdirSync(join(project, "node_modules/lib"), { recursive: true });
        writeFileSync(join(project, "node_modules/lib/index.js"), "lib\n");
        writeFileSync(join(project, "node_modules/lib/large"), new Uint8Array(packageMegabytes * megabyte).fill(7));
        must("sync", "-f", disk);
        const free = freeMegabytes(disk);
        const other = (id: string): string => join(world.root, `there-${3 - Number(id)}`);
        const turn = (id: string): object => ({
          agent: "worker",
          task: id,
          steps: [
            { bash: "test ! -L node_modules && test $(stat -c %s node_modules/lib/large) -gt 60000000", expect: 0 },
            { bash: `echo ${id} > node_modules/lib/index.js && echo ${id} > made-${id}.txt`, expect: 0 },
            // Both copies are there at this moment.
            { bash: `touch ${join(world.root, `there-${id}`)}; until test -e ${other(id)}; do sleep 0.02; done` },
            { bash: `sync -f . && df --output=avail -BM . | tail -1 > ${join(world.root, `free-${id}`)}`, expect: 0 },
            { say: "done" },
          ],
        });
        const script = world.plan([{ id: "1" }, { id: "2" }], [turn("1"), turn("2")]);

        const env = { ATOMIC_WORKTREES_DIR: join(disk, "trees") };
        const words = ["ralph", "Do it", "--script", script, "--max-reviews", "0"];
        const run = await world.start(words, { cwd: project, env }).ended;

        expect(run.exitCode, run.stderr).toBe(0);
        expect(run.stderr).toContain("copied into each: node_modules");
        const left = ["1", "2"].map((id) => Number.parseInt(world.read(`free-${id}`), 10));
        expect(free - Math.min(...left)).toBeLessThan(packageMegabytes / 2);
        expect(readFileSync(join(project, "node_modules/lib/index.js"), "utf8")).toBe("lib\n");
        expect(readFileSync(join(project, "made-2.txt"), "utf8")).toBe("2\n");
      } finally {
        must("umount", disk);
      }
    },
    patienceMs,
  );
}

function must(...command: readonly string[]): void {
  const [program = "", ...args] = command;
  const { status, stderr } = spawnSync(program, args, { env: system });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr?.toString() ?? "not found"}`);
}

function freeMegabytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return (bavail * bsize) / megabyte;
}
