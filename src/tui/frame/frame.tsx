/** @jsxImportSource @opentui/react */
// The screens and the way between them. The chat stays mounted while another screen is shown: its draft, its scroll
// position and its open question are as they were left.

import { useKeyboard } from "@opentui/react";
import { useMemo, useState } from "react";
import type { ChatPort } from "../chat/chat-port.ts";
import { ChatScreen } from "../chat/chat-screen.tsx";
import { inksOf } from "../chat/ink.ts";
import type { KeyTables } from "../keys/key-table.ts";
import { RunsScreen } from "../runs/runs-screen.tsx";
import type { RunsPort } from "../runs/runs-port.ts";
import type { Theme } from "../theme.ts";
import { nextScreen, type ScreenName } from "./frame-state.ts";

export interface FrameProps {
  readonly chat: ChatPort;
  readonly runs: RunsPort;
  readonly tables: KeyTables;
  readonly theme: Theme;
  readonly highlighting: Promise<boolean>;
  /** Keys are taken from now on. */
  readonly onReady?: () => void;
  readonly onExit: () => void;
}

export function Frame({
  chat,
  runs,
  tables,
  theme: first,
  highlighting,
  onReady = () => undefined,
  onExit,
}: FrameProps) {
  const [screen, setScreen] = useState<ScreenName>("chat");
  const [theme, setTheme] = useState(first);
  const inks = useMemo(() => inksOf(theme, false), [theme]);
  useKeyboard((key) => {
    const action = tables.chat.frameActionOf(key);
    if (action !== undefined) setScreen((now) => nextScreen(now, action));
  });
  return (
    <>
      <ChatScreen
        port={chat}
        table={tables.chat}
        theme={first}
        highlighting={highlighting}
        isActive={screen === "chat"}
        onTheme={setTheme}
        onReady={onReady}
        onExit={onExit}
      />
      {screen === "runs" ? (
        <RunsScreen port={runs} table={tables.runs} inks={inks} onBack={() => setScreen("chat")} onExit={onExit} />
      ) : null}
    </>
  );
}
