// The colours of the screen, in one place: one accent, grey for what matters less, green and red where something went
// well or wrong. Without colours the terminal's own two are used, and attributes make the difference.

export interface Theme {
  readonly name: "dark" | "light" | "none";
  /** Undefined: the terminal's own. */
  readonly foreground: string | undefined;
  readonly background: string | undefined;
  readonly panel: string | undefined;
  readonly muted: string | undefined;
  readonly accent: string | undefined;
  readonly good: string | undefined;
  readonly bad: string | undefined;
  readonly code: string | undefined;
}

export const themes = {
  dark: {
    name: "dark",
    foreground: "#d8dee9",
    background: "#101418",
    panel: "#1a1f26",
    muted: "#7d8590",
    accent: "#7dcfff",
    good: "#9ece6a",
    bad: "#f7768e",
    code: "#e0af68",
  },
  light: {
    name: "light",
    foreground: "#22262e",
    background: "#fafafa",
    panel: "#eceff3",
    muted: "#6e7781",
    accent: "#0550ae",
    good: "#1a7f37",
    bad: "#b35900",
    code: "#8250df",
  },
  none: {
    name: "none",
    foreground: undefined,
    background: undefined,
    panel: undefined,
    muted: undefined,
    accent: undefined,
    good: undefined,
    bad: undefined,
    code: undefined,
  },
} as const satisfies Readonly<Record<string, Theme>>;

/** NO_COLOR, whatever it holds, means none. */
export function chooseTheme(
  asked: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Theme {
  if ((environment["NO_COLOR"] ?? "") !== "") return themes.none;
  return asked === "light" ? themes.light : themes.dark;
}

export function changeTheme(now: Theme, change: "dark" | "light" | "toggle"): Theme {
  if (now.name === "none") return now;
  if (change === "toggle") return now.name === "dark" ? themes.light : themes.dark;
  return themes[change];
}
