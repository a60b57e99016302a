// The real command line in a process whose clock is wrong by ATOMIC_TEST_SHIFT_MS.

import { env } from "node:process";

const shift = Number(env["ATOMIC_TEST_SHIFT_MS"] ?? 0);
const now = Date.now.bind(Date);
Date.now = () => now() + shift;
delete env["ATOMIC_TEST_SHIFT_MS"];
await import("../../src/main.ts");
