// A process that opens a session of a real agent, runs one turn and stays: contract cases kill it.
// Arguments: the name of a file in backends/, the place as JSON, the folder, the prompt.

import type { RigBackend, RigPlace } from "./rig.ts";

const [kind = "", placeText = "", folder = "", prompt = ""] = process.argv.slice(2);
const { rigBackend } = (await import(`./backends/${kind}.ts`)) as { readonly rigBackend: RigBackend };
const place = JSON.parse(placeText) as RigPlace;
const session = await rigBackend.createClient(place).open({ cwd: folder, ...rigBackend.open });
for await (const event of session.turn(prompt))
  if (event.type === "turn.failed") throw new Error(event.failure.message);
