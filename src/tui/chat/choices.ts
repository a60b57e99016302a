// Lists to choose from, as data: models, runs to resume, tool servers, earlier messages, and everything by name. Each row
// says what choosing it does.

import { counted } from "../../lib/counted.ts";
import type { ModelInfo } from "../../agents/port.ts";
import type { ToolServer } from "../../agents/tool-servers.ts";
import type { Suggestion } from "../input/completion.ts";
import { fuzzyFilter } from "../input/search.ts";
import type { KeyRow } from "../keys/bind-keys.ts";
import type { FrameAction, KeyAction } from "../keys/key-table.ts";
import type { Effect } from "./effect.ts";

export interface Choice {
  readonly label: string;
  readonly detail: string;
  readonly effect: Effect | Insertion;
}

/** A text for the input: instead of what is there, or where the cursor is. */
export interface Insertion {
  readonly type: "insert";
  readonly text: string;
  readonly at: "all" | "cursor";
}

export interface ChoiceList {
  readonly kind: "choice";
  readonly title: string;
  readonly choices: readonly Choice[];
  readonly query: string;
  readonly selected: number;
  /** Shown when there is nothing to choose from. */
  readonly empty: string;
  /** A choice changes something and leaves the list open. */
  readonly staysOpen: boolean;
  /** Files of the project match too. */
  readonly hasPaths: boolean;
}

const shownMatches = 200;

function listOf(title: string, choices: readonly Choice[], empty = "nothing matches"): ChoiceList {
  return { kind: "choice", title, choices, query: "", selected: 0, empty, staysOpen: false, hasPaths: false };
}

/** What matches what was typed, the best first. */
export function matchingChoices(
  { choices, query, hasPaths }: ChoiceList,
  paths: (query: string) => readonly Suggestion[],
): readonly Choice[] {
  const found = fuzzyFilter(query, choices, ({ label, detail }) => `${label} ${detail}`, shownMatches);
  if (!hasPaths || query === "") return found;
  const files = paths(query).filter(({ category }) => category === "file" || category === "folder");
  return [...found, ...files.map(pathChoice)];
}

function pathChoice({ insert, name, category }: Suggestion): Choice {
  return { label: name, detail: category, effect: { type: "insert", text: `${insert} `, at: "cursor" } };
}

export function modelChoices(models: readonly ModelInfo[]): ChoiceList {
  const choices = models.map(({ id, name, description = "" }): Choice => {
    const detail = [name === id ? "" : name, description].filter((part) => part !== "").join("  ");
    return { label: id, detail, effect: { type: "model", model: id } };
  });
  return listOf("choose a model", choices, "the agent lists no models");
}

export interface RunChoice {
  readonly id: string;
  readonly workflow: string;
  readonly prompt: string;
  readonly reason: string;
}

export function runChoices(runs: readonly RunChoice[]): ChoiceList {
  const choices = runs.map(({ id, workflow, prompt, reason }): Choice => {
    const detail = `${workflow}  ${reason}  ${prompt.replaceAll(/\s+/g, " ")}`;
    return { label: id.slice(0, 8), detail, effect: { type: "submit", line: `/resume ${id}` } };
  });
  return listOf("resume a run", choices, "no run of this folder can be resumed");
}

const offStatuses: ReadonlySet<string> = new Set(["disabled", "disconnected", "stopped", "not_configured"]);

export function serverChoices(servers: readonly ToolServer[]): ChoiceList {
  const choices = servers.map(({ name, status, error, tools }): Choice => {
    const isOn = !offStatuses.has(status);
    const about = error ?? (tools === undefined ? "" : `${counted(tools.length, "tool")}: ${tools.join(", ")}`);
    const detail = `${isOn ? "●" : "○"} ${status}  ${about}`.trimEnd();
    return { label: name, detail, effect: { type: "server", name, isOn: !isOn } };
  });
  const list = listOf("tool servers (MCP) · enter switches one", choices, "the agent has no tool servers");
  return { ...list, staysOpen: true };
}

export function historyChoices(history: readonly string[]): ChoiceList {
  const choices = history.map((text): Choice => ({
    label: text,
    detail: "",
    effect: { type: "insert", text, at: "all" },
  }));
  return listOf("earlier messages of all projects", choices);
}

export interface PaletteSource {
  readonly commands: readonly Suggestion[];
  readonly actions: readonly (KeyRow & { readonly action: KeyAction })[];
  readonly screens: readonly (KeyRow & { readonly action: FrameAction })[];
}

/** Commands, screens, keys and files. A command that takes arguments is put into the input, any other runs. */
export function paletteChoices({ commands, actions, screens }: PaletteSource): ChoiceList {
  const choices = [
    ...commands.map(({ insert, hint, description }): Choice => ({
      label: insert,
      detail: description,
      effect: hint === "" ? { type: "submit", line: insert } : { type: "insert", text: `${insert} `, at: "all" },
    })),
    ...screens.map(({ does, keys, action }): Choice => ({
      label: does,
      detail: keys,
      effect: { type: "screen", action },
    })),
    ...actions.map(({ does, keys, action }): Choice => ({
      label: does,
      detail: keys,
      effect: { type: "action", action },
    })),
  ];
  return { ...listOf("everything by name", choices), hasPaths: true };
}
