// Loaded into the program by `bun --preload`, for the recorded walk: the time comes from a file. It stands still until
// the walk moves it, so every duration on the screen is the same each time the walk is played. Waits are not affected:
// they use `performance.now`.

import { readFileSync } from "node:fs";

const file = process.env["ATOMIC_WALK_CLOCK"];
if (file === undefined) throw new Error("ATOMIC_WALK_CLOCK names no file.");

Date.now = () => Number(readFileSync(file, "utf8"));
