/** @jsxImportSource @opentui/react */
// The screens and the way between them, and the one dialog that may lie over any of them. The chat stays mounted while
// another screen is shown: its draft, its scroll position and its open question are as they were left.

import { flushSync, useKeyboard, useTerminalDimensions } from "@opentui/react";
import { useEffect, useMemo, useRef, useState } from "react";
import { AtomicError } from "../../lib/errors.ts";
import type { ChatPort } from "../chat/chat-port.ts";
import { ChatScreen } from "../chat/chat-screen.tsx";
import { inksOf } from "../chat/ink.ts";
import { ControlScreen } from "../control/control-screen.tsx";
import type { ControlEffect } from "../control/control-state.ts";
import { type Dialog, type DialogAction, dialogKey, type RunCommand } from "../dialogs/dialog.ts";
import { DialogView } from "../dialogs/dialog-view.tsx";
import { type CommandOutcome, performRunCommand } from "../dialogs/run-command.ts";
import type { ControlAction, FrameAction, KeyTables } from "../keys/key-table.ts";
import { EvidenceScreen } from "../evidence/evidence-screen.tsx";
import { TrustDialog } from "../trust/trust-dialog.tsx";
import type { TrustPort } from "../trust/trust-port.ts";
import { useTrust } from "../trust/use-trust.ts";
import { RunsScreen } from "../runs/runs-screen.tsx";
import type { RunsEffect } from "../runs/runs-state.ts";
import type { RunsPort } from "../runs/runs-port.ts";
import type { Theme } from "../theme.ts";
import { nextScreen, type ScreenName } from "./frame-state.ts";

export interface FrameProps {
  readonly chat: ChatPort;
  readonly runs: RunsPort;
  readonly trust: TrustPort;
  readonly tables: KeyTables;
  readonly theme: Theme;
  readonly highlighting: Promise<boolean>;
  /** Keys are taken from now on. */
  readonly onReady?: () => void;
  readonly onExit: () => void;
}

/** Columns of the last line that a note can't have. */
const besideNote = 20;

export function Frame(props: FrameProps) {
  const { chat, runs, trust, tables, theme: first, highlighting, onReady = () => undefined, onExit } = props;
  const { width, height } = useTerminalDimensions();
  const [screen, setScreen] = useState<ScreenName>("chat");
  const [theme, setTheme] = useState(first);
  const inks = useMemo(() => inksOf(theme, false), [theme]);
  const [hasTasksFirst, setTasksFirst] = useState(false);
  const [watched, setWatched] = useState<string | undefined>(undefined);
  const [note, setNote] = useState<string | undefined>(undefined);
  const [dialog, setDialog] = useState<Dialog | undefined>(undefined);
  const open = useRef(dialog);

  function go(move: FrameAction): void {
    setTasksFirst(move === "showTasks");
    setScreen((now) => nextScreen(now, move));
  }

  function show(next: Dialog | undefined): void {
    open.current = next;
    setDialog(next);
  }

  function take(outcome: CommandOutcome): void {
    const { note: said = "" } = outcome;
    // What does not fit into the last line is read in a dialog.
    const isLong = said.includes("\n") || said.length > width - besideNote;
    const next = outcome.dialog ?? (isLong ? ({ kind: "notice", text: said } as const) : undefined);
    setNote(isLong ? undefined : outcome.note);
    // Another one may have been opened meanwhile.
    if (next !== undefined && open.current === undefined) show(next);
    if (outcome.watch === undefined) return;
    setWatched(outcome.watch);
    setScreen("control");
  }

  async function carryOut(command: RunCommand): Promise<void> {
    setNote("…");
    take(await performRunCommand(runs, command));
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

  const asked = useTrust(trust);

  useKeyboard((key) => {
    const action = tables.control.actionOf(key);
    if (asked.handle(key, action, { width, height })) return;
    if (open.current !== undefined) {
      const { dialog: next, command } = dialogKey(open.current, key, dialogAction(action));
      show(next);
      if (command !== undefined) void carryOut(command);
      return;
    }
    setNote(undefined);
    const move = tables[screen].frameActionOf(key);
    // At once: the next key is for the next screen.
    if (move !== undefined) flushSync(() => go(move));
  });
  // After everything below has subscribed to keys, and this too.
  useEffect(() => onReady(), []);
  useFirstRun(runs, screen, watched, setWatched);

  const isActive = dialog === undefined && asked.subject === undefined;
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
        onScreen={go}
        onExit={onExit}
      />
      {screen === "control" ? (
        <ControlScreen
          key={watched ?? ""}
          port={runs}
          table={tables.control}
          inks={inks}
          run={watched}
          hasTasksFirst={hasTasksFirst}
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
          onSelect={setWatched}
          onEffect={onEffect}
        />
      ) : null}
      {screen === "evidence" ? (
        <EvidenceScreen
          port={runs}
          table={tables.evidence}
          inks={inks}
          run={watched}
          isActive={isActive}
          onEffect={onEffect}
        />
      ) : null}
      {dialog === undefined ? null : <DialogView dialog={dialog} width={width} height={height} inks={inks} />}
      {asked.subject === undefined ? null : (
        <TrustDialog subject={asked.subject} state={asked.state} width={width} height={height} inks={inks} />
      )}
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

const lookAgainMs = 1000;

/** When none was chosen: the newest of the folder, as soon as there is one. */
function useFirstRun(
  runs: RunsPort,
  screen: ScreenName,
  watched: string | undefined,
  watch: (run: string) => void,
): void {
  const isWanted = (screen === "control" || screen === "evidence") && watched === undefined;
  useEffect(() => {
    if (!isWanted) return undefined;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function look(): Promise<void> {
      const found = await runs.newest().catch((thrown: unknown) => {
        // A store that is busy, or can't be read at the moment.
        if (!AtomicError.is(thrown)) throw thrown;
        return undefined;
      });
      if (isOver) return;
      if (found === undefined) timer = setTimeout(() => void look(), lookAgainMs);
      else watch(found);
    }
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isWanted, runs]);
}
