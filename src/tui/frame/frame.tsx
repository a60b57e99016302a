/** @jsxImportSource @opentui/react */
// The screens and the way between them, and the one dialog that may lie over any of them. The chat stays mounted while
// another screen is shown: its draft, its scroll position and its open question are as they were left.

import { useKeyboard, useTerminalDimensions } from "@opentui/react";
import { useEffect, useMemo, useRef, useState } from "react";
import type { ChatPort } from "../chat/chat-port.ts";
import { ChatScreen } from "../chat/chat-screen.tsx";
import { inksOf } from "../chat/ink.ts";
import { ControlScreen } from "../control/control-screen.tsx";
import type { ControlEffect } from "../control/control-state.ts";
import { type Dialog, type DialogAction, dialogKey, type RunCommand } from "../dialogs/dialog.ts";
import { DialogView } from "../dialogs/dialog-view.tsx";
import { type CommandOutcome, runCommand } from "../dialogs/run-command.ts";
import type { ControlAction, KeyTables } from "../keys/key-table.ts";
import { RunsScreen } from "../runs/runs-screen.tsx";
import type { RunsEffect } from "../runs/runs-state.ts";
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

export function Frame(props: FrameProps) {
  const { chat, runs, tables, theme: first, highlighting, onReady = () => undefined, onExit } = props;
  const { width, height } = useTerminalDimensions();
  const [screen, setScreen] = useState<ScreenName>("chat");
  const [theme, setTheme] = useState(first);
  const inks = useMemo(() => inksOf(theme, false), [theme]);
  const [watched, setWatched] = useState<string | undefined>(undefined);
  const [note, setNote] = useState<string | undefined>(undefined);
  const [dialog, setDialog] = useState<Dialog | undefined>(undefined);
  const open = useRef(dialog);

  function show(next: Dialog | undefined): void {
    open.current = next;
    setDialog(next);
  }

  function take(outcome: CommandOutcome): void {
    setNote(outcome.note);
    // Another one may have been opened meanwhile.
    if (outcome.dialog !== undefined && open.current === undefined) show(outcome.dialog);
    if (outcome.watch === undefined) return;
    setWatched(outcome.watch);
    setScreen("control");
  }

  async function carryOut(command: RunCommand): Promise<void> {
    setNote("…");
    take(await runCommand(runs, command));
  }

  function onEffect(effect: ControlEffect | RunsEffect): void {
    switch (effect.type) {
      case "leave":
        return onExit();
      case "back":
        return setScreen("chat");
      case "watch":
        setWatched(effect.run);
        return setScreen("control");
      case "ask":
        return effect.dialog === undefined ? setNote("It has no open questions.") : show(effect.dialog);
      default:
        void carryOut(effect);
    }
  }

  useKeyboard((key) => {
    if (open.current !== undefined) {
      const { dialog: next, command } = dialogKey(open.current, key, dialogAction(tables.control.actionOf(key)));
      show(next);
      if (command !== undefined) void carryOut(command);
      return;
    }
    setNote(undefined);
    const action = tables.chat.frameActionOf(key);
    if (action !== undefined) setScreen((now) => nextScreen(now, action));
  });
  useFirstRun(runs, screen, watched, setWatched);

  const isActive = dialog === undefined;
  return (
    <>
      <ChatScreen
        port={chat}
        table={tables.chat}
        theme={first}
        highlighting={highlighting}
        isShown={screen === "chat"}
        isActive={screen === "chat" && isActive}
        onTheme={setTheme}
        onScreen={(action) => setScreen((now) => nextScreen(now, action))}
        onReady={onReady}
        onExit={onExit}
      />
      {screen === "control" ? (
        <ControlScreen
          port={runs}
          table={tables.control}
          inks={inks}
          run={watched}
          isActive={isActive}
          note={note}
          onEffect={onEffect}
        />
      ) : null}
      {screen === "runs" ? (
        <RunsScreen
          port={runs}
          table={tables.runs}
          inks={inks}
          first={watched}
          isActive={isActive}
          note={note}
          onEffect={onEffect}
        />
      ) : null}
      {dialog === undefined ? null : <DialogView dialog={dialog} width={width} height={height} inks={inks} />}
    </>
  );
}

function dialogAction(action: ControlAction | undefined): DialogAction {
  switch (action) {
    case "up":
    case "down":
    case "close":
      return action;
    case "interrupt":
      return "close";
    case "inspect":
      return "enter";
    default:
      return undefined;
  }
}

/** When none was chosen: the newest of the folder. */
function useFirstRun(
  runs: RunsPort,
  screen: ScreenName,
  watched: string | undefined,
  watch: (run: string) => void,
): void {
  const isWanted = screen === "control" && watched === undefined;
  useEffect(() => {
    if (!isWanted) return undefined;
    let isOver = false;
    void runs.newest().then((found) => {
      if (!isOver && found !== undefined) watch(found);
    });
    return () => {
      isOver = true;
    };
  }, [isWanted, runs]);
}
