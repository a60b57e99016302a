// The library's default where programs can be started: agent clients that a program passes in become the bridge of a
// run. Imported for its effect by the public entries for Bun, Node and Deno. Loaded with the first run that has a
// client.

import { setDefaultRuntime } from "./graph/model/default-runtime.ts";

setDefaultRuntime({
  connect: async (connection, run) => (await import("../agents/connect-clients.ts")).connectClients(connection, run),
});
