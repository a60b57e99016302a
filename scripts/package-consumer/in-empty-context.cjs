// Runs a script in a context of node:vm that has the language and the globals that every browser and edge runtime has,
// and nothing of Node: no process, no require, no Buffer, no import().

const { readFileSync } = require("node:fs");
const vm = require("node:vm");

// The same as in types/engine-ambient.d.ts.
const globals = {
  setTimeout,
  clearTimeout,
  queueMicrotask,
  AbortController,
  AbortSignal,
  performance: { now: () => performance.now() },
  crypto: { randomUUID },
};
function randomUUID() {
  return globalThis.crypto.randomUUID();
}
const context = vm.createContext(globals);
vm.runInContext(readFileSync(process.argv[2], "utf8"), context);
globals.engineReport.then(console.log, (error) => {
  console.error(error);
  process.exitCode = 1;
});
