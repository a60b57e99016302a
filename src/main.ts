// Where the program starts. `--version` answers before anything is loaded; everything else goes to the command line.
// Only this file and src/main/ name concrete backends and wire them, each loaded when it is needed.

import { version } from "./lib/version.ts";

const words = process.argv.slice(2);
if (words.length === 1 && (words[0] === "--version" || words[0] === "-V")) console.log(version);
else if (words[0] === "--licenses") console.log((await import("./main/licenses.ts")).licenses);
else if (process.platform === "win32") {
  // The library runs there. The program needs process groups and signals, which only Unix has.
  console.error(
    "atomic: Windows is not supported yet. Run Atomic in WSL (`wsl --install`), where it runs as on Linux.",
  );
  process.exit(1);
} else {
  const { runCli } = await import("./cli/run-cli.ts");
  const exitCode = await runCli(words, {
    parts: async () => (await import("./main/create-parts.ts")).createParts(),
    screen: async () => (await import("./main/load-screen.ts")).loadScreen(() => import("./tui/open-chat-screen.tsx")),
  });
  // Everything is printed and has ended: a handle that an agent's package left open must not keep the process alive.
  process.exit(exitCode);
}
