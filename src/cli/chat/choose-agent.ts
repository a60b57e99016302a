// The agent of a first chat at a terminal: found, chosen by the user and kept in the settings, or the embedded one.

import type { ChatChoices } from "../../app/chat/app-chat.ts";
import type { App } from "../../app/create-app.ts";
import type { Io } from "../io.ts";

/** What is chosen already stays. */
export async function chooseFirstAgent(
  choices: ChatChoices,
  app: App,
  io: Pick<Io, "ask" | "warn" | "hasTerminal">,
  onNotice: (text: string) => void,
): Promise<ChatChoices> {
  const isChosen = choices.agent !== undefined || choices.script !== undefined || choices.continues !== undefined;
  if (isChosen || !io.hasTerminal) return choices;
  const setting = await app.settings.read("agent");
  if (setting !== undefined && setting.origin !== "default") return choices;
  const first = await app.chat.firstAgent();
  switch (first.kind) {
    case "found":
      return { ...choices, agent: first.agent };
    case "none":
      onNotice(
        "No coding agent was found. This is the embedded one, which is not a model; it tells you how to install a coding agent.",
      );
      return { ...choices, agent: "scripted", script: first.script };
    case "choose": {
      const agent = askWhich(first.agents, io);
      const { file } = await app.settings.change({ key: "agent", value: agent, isProject: false });
      onNotice(`Chats and runs use ${agent} from now on (${file}). \`-a NAME\` uses another one this time.`);
      return { ...choices, agent };
    }
  }
}

/** A number or a name; Enter takes the first. */
function askWhich(agents: readonly string[], io: Pick<Io, "ask" | "warn">): string {
  const [first = ""] = agents;
  io.warn(["Which agent?", ...agents.map((agent, i) => `  ${i + 1}  ${agent}`)].join("\n"));
  for (;;) {
    const answer = (io.ask(`1-${agents.length} [1]:`) ?? "").trim();
    if (answer === "") return first;
    const chosen = agents[Number(answer) - 1] ?? agents.find((agent) => agent === answer.toLowerCase());
    if (chosen !== undefined) return chosen;
  }
}
