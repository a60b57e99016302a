// The steps of a script that do something: write a file, run a command, call a tool of this program.

import { messageOf } from "../../lib/errors.ts";
import { turnFailure } from "../failures.ts";
import { runShell } from "../process/run-shell.ts";
import { isShellAllowed } from "../tool-rules.ts";
import { isStepAllowed } from "./allowed-steps.ts";
import { fillVariables, openTool, refuseTool, type TurnEnding, type Scene } from "./scene.ts";
import type { ScriptStep } from "./script-schema.ts";
import { OutsideFolderError, writeInside } from "./write-inside.ts";

type Step<Key extends string> = Extract<ScriptStep, Record<Key, unknown>>;

export async function playWrite(scene: Scene, step: Step<"write">, location: string): Promise<TurnEnding | undefined> {
  const [path, content] = [fillVariables(scene, step.write.path), fillVariables(scene, step.write.content)];
  if (!isStepAllowed("write", scene.stage.allowedTools)) {
    refuseTool(scene, "write", "write", { path, content });
    return undefined;
  }
  const tool = openTool(scene, "write", "write", { path, content });
  try {
    tool.finish("ok", `wrote ${await writeInside(scene.stage.cwd, path, content)}`);
    return undefined;
  } catch (error) {
    tool.finish("failed", messageOf(error));
    // A path outside is a mistake in the script; a full disk is reported to the agent.
    if (!(error instanceof OutsideFolderError)) return undefined;
    return { failure: turnFailure("refused", `${location}: ${error.message}.`) };
  }
}

export async function playBash(scene: Scene, step: Step<"bash">, location: string): Promise<TurnEnding | undefined> {
  const { stage } = scene;
  const { signal } = stage.sink;
  const command = fillVariables(scene, step.bash);
  if (!isStepAllowed("bash", stage.allowedTools)) {
    refuseTool(scene, "bash", "shell", { command });
    return refusedAs(step, `${location}: \`${command}\` could not run`);
  }
  if (stage.shellRules !== undefined && !isShellAllowed(command, stage.shellRules)) {
    openTool(scene, "bash", "shell", { command }).finish("failed", "The agent's rules don't allow this command.");
    return refusedAs(step, `${location}: \`${command}\` could not run`);
  }
  const tool = openTool(scene, "bash", "shell", { command });
  const { exitCode, output, outputChars } = await runShell({
    ...stage,
    command,
    signal,
    onOutput: (text) => tool.progress(text),
  });
  if (step.as !== undefined) scene.variables.set(step.as, output.trim());
  tool.finish(signal.aborted ? "interrupted" : exitCode === 0 ? "ok" : "failed", output, { outputChars, exitCode });
  if (signal.aborted || step.expect === undefined || exitCode === step.expect) return undefined;
  const ended = `\`${command}\` ended with ${exitCode ?? "a signal"}, and the script expects ${step.expect}`;
  return { failure: turnFailure("refused", `${location}: ${ended}. It said: ${output.slice(-500)}`) };
}

/** A script that expects an exit code counts on the command. */
function refusedAs(step: Step<"bash">, problem: string): TurnEnding | undefined {
  if (step.expect === undefined) return undefined;
  return { failure: turnFailure("refused", `${problem}: the agent's tools don't allow it.`) };
}

export async function playTool(scene: Scene, step: Step<"tool">, location: string): Promise<TurnEnding | undefined> {
  const { name, input = {} } = step.tool;
  const own = scene.stage.tools.find((candidate) => candidate.name === name);
  if (own === undefined)
    return { failure: turnFailure("refused", `${location}: the session was offered no tool "${name}".`) };
  const tool = openTool(scene, name, "other", input);
  const result = await own.call(input, scene.stage.sink.signal);
  if (step.as !== undefined) scene.variables.set(step.as, result.text);
  tool.finish(result.isError ? "failed" : "ok", result.text);
  return undefined;
}
