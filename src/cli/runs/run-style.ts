// The colours of a run's log: by the user's settings, where there is a terminal to show them.

import type { App } from "../../app/create-app.ts";
import type { Io } from "../io.ts";
import { chooseStyle, type Style } from "../style.ts";

export async function runStyle({ settings }: Pick<App, "settings">, { screen }: Pick<Io, "screen">): Promise<Style> {
  const isTerminal = screen !== undefined;
  const theme = isTerminal ? await settings.read("theme") : undefined;
  return chooseStyle({ isTerminal, theme: String(theme?.value ?? ""), environment: process.env });
}
