// A process that runs one turn of the contract's script and stays alive until a contract case kills it. Arguments:
// root, folder, prompt.

import { contractScriptClient } from "./scripted-contract.ts";

const [root = "", folder = "", prompt = ""] = process.argv.slice(2);
const session = await contractScriptClient(root).open({ cwd: folder });
for await (const event of session.turn(prompt))
  if (event.type === "turn.failed") throw new Error(event.failure.message);
