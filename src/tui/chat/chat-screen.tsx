/** @jsxImportSource @opentui/react */
// The chat screen: assembles the parts, passes keys to handle-key.ts and carries out the resulting effects.

import { decodePasteBytes, type ScrollBoxRenderable, type Selection } from "@opentui/core";
import { useKeyboard, usePaste, useRenderer, useTerminalDimensions } from "@opentui/react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { AtomicError } from "../../lib/errors.ts";
import { editInput } from "../input/input-state.ts";
import { type FrameAction, type KeyTable, isFrameAction } from "../keys/key-table.ts";
import { Ticking } from "../use-ticking.ts";
import { changeTheme, type Theme } from "../theme.ts";
import { useDraft, usePlace, useQuestion, useSettled, useUnseen, useView } from "./chat-hooks.ts";
import type { ChatPort, LineOutcome } from "./chat-port.ts";
import { modelChoices, type PaletteSource, runChoices, serverChoices } from "./choices.ts";
import type { Effect } from "./effect.ts";
import { findMatches } from "./find.ts";
import { wrapText } from "./format.ts";
import { handleKey, handlePaste, performAction, recompleted } from "./handle-key.ts";
import type { Handled, KeyFacts } from "./handled.ts";
import { inksOf } from "./ink.ts";
import { OverlayView } from "./overlay-view.tsx";
import { FindLine, Footer, Header, InputLine, QuestionPanel, Queue, Suggestions } from "./panels.tsx";
import { firstScreenState, type ScreenState } from "./screen-state.ts";
import { Transcript } from "./transcript.tsx";

export interface ChatScreenProps {
  readonly port: ChatPort;
  readonly table: KeyTable;
  readonly theme: Theme;
  /** Whether Markdown can be highlighted, when that is known. */
  readonly highlighting: Promise<boolean>;
  /** False while another screen is shown. */
  readonly isShown?: boolean;
  /** False while keys are for something else. */
  readonly isActive?: boolean;
  /** The user chose another one. */
  readonly onTheme?: (theme: Theme) => void;
  /** The user asked for another screen by its name. */
  readonly onScreen?: (action: FrameAction) => void;
  readonly onExit: () => void;
}

const mountedBlocks = 120;
/** What can be started by its name. */
const paletteActions: ReadonlySet<string> = new Set([
  "output",
  "find",
  "select",
  "history",
  "editor",
  "follow",
  "keys",
]);

export function ChatScreen(props: ChatScreenProps) {
  const { port, table, theme: first, highlighting, isShown = true, isActive = true } = props;
  const { onTheme, onScreen, onExit } = props;
  const { width, height } = useTerminalDimensions();
  const renderer = useRenderer();
  const view = useView(port);
  const place = usePlace(port);
  const [theme, setTheme] = useState(first);
  const isHighlighted = useSettled(highlighting);
  const inks = useMemo(() => inksOf(theme, isHighlighted), [theme, isHighlighted]);
  const [state, setState] = useState(() => firstScreenState(port.draft));
  const current = useRef(state);
  const scroll = useRef<ScrollBoxRenderable>(null);
  const [mounted, setMounted] = useState(mountedBlocks);
  const unseen = useUnseen(view, scroll);

  const set = useCallback((next: ScreenState) => {
    current.current = next;
    setState(next);
  }, []);
  const change = useCallback((by: Partial<ScreenState>) => set({ ...current.current, ...by }), [set]);

  useQuestion(view, current.current, change);
  useDraft(port, state);
  useEffect(() => port.onPaths(() => change(recompleted(current.current, port.completion))), [port, change]);

  const facts = (): KeyFacts => ({
    table,
    completion: port.completion,
    isWorking: port.view.turn !== undefined,
    queue: port.view.queue,
    questions: port.view.questions,
    history: port.history(),
    blocks: port.view.blocks,
    palette,
  });

  function palette(): PaletteSource {
    return {
      commands: port.completion.commands(""),
      actions: table.rows.flatMap(({ action, ...row }) =>
        isFrameAction(action) || !paletteActions.has(action) ? [] : [{ ...row, action }],
      ),
      screens: table.rows.flatMap(({ action, ...row }) => (isFrameAction(action) ? [{ ...row, action }] : [])),
    };
  }

  function show(outcome: LineOutcome): void {
    if (outcome.shouldExit === true) return onExit();
    if (outcome.themeChange !== undefined) {
      const next = changeTheme(theme, outcome.themeChange);
      setTheme(next);
      onTheme?.(next);
    }
    if (outcome.showModelSelector !== undefined) return change({ overlay: modelChoices(outcome.showModelSelector) });
    if (outcome.showRunSelector !== undefined) return change({ overlay: runChoices(outcome.showRunSelector) });
    if (outcome.mcpSnapshot !== undefined) return change({ overlay: serverChoices(outcome.mcpSnapshot) });
    const text = outcome.message;
    if (text === undefined) return;
    say(text, outcome.success ? "help" : "refused");
  }

  /** Errors of the program are shown in the last line; anything else ends the screen. */
  function refused(thrown: unknown): void {
    if (!AtomicError.is(thrown)) throw thrown;
    say(thrown.message, "refused");
  }

  /** In the last line, where it fits. */
  function say(text: string, title: string): void {
    if (!text.includes("\n") && text.length < width - 14) return change({ note: text });
    change({ overlay: { kind: "text", title, text: wrapText(text, width - 8), top: 0 } });
  }

  async function openEditor(text: string): Promise<void> {
    renderer.suspend();
    try {
      const left = await port.edit(text);
      if (left !== undefined) change({ input: editInput(current.current.input, { type: "set", text: left }) });
    } finally {
      renderer.resume();
    }
  }

  function scrollTo(to: Extract<Effect, { type: "scroll" }>["to"]): void {
    const box = scroll.current;
    if (box === null) return;
    if (to === "follow") return box.scrollTo(box.scrollHeight);
    if (to === "pageUp" && box.scrollTop === 0) setMounted((now) => now + mountedBlocks);
    box.scrollBy(to === "pageUp" ? -0.5 : 0.5, "viewport");
  }

  /** Mounts what is further up first. */
  function reveal(block: string, part: number): void {
    setMounted(port.view.blocks.length);
    // When it is laid out.
    setTimeout(() => {
      const box = scroll.current;
      const child = box?.content.getChildren().find(({ id }) => id === block);
      if (box === null || box === undefined || child === undefined) return;
      box.scrollTo(Math.max(0, child.y - box.content.y + Math.floor(part * child.height) - 3));
    }, 50);
  }

  async function switchServer(name: string, isOn: boolean): Promise<void> {
    change({ note: `${isOn ? "Enabling" : "Disabling"} ${name} …` });
    await port.switchServer(name, isOn);
    const { overlay } = current.current;
    const list = serverChoices(await port.servers());
    change({
      note: `${name} is ${isOn ? "enabled" : "disabled"} in this session.`,
      ...(overlay?.kind === "choice" && { overlay: { ...list, query: overlay.query, selected: overlay.selected } }),
    });
  }

  function copy(text: string): void {
    const sent = port.copy(text);
    const part = sent < text.length ? ` of ${text.length}` : "";
    change({ note: `Sent ${sent}${part} characters to the terminal's clipboard.` });
  }

  function apply({ state: next, effects }: Handled): void {
    set(next);
    for (const effect of effects) carryOut(effect).catch(refused);
  }

  async function carryOut(effect: Effect): Promise<void> {
    switch (effect.type) {
      case "submit":
        return show(await port.submit(effect.line));
      case "interrupt":
        return void port.interrupt();
      case "exit":
        return onExit();
      case "editor":
        return openEditor(effect.text);
      case "scroll":
        return scrollTo(effect.to);
      case "reveal":
        return reveal(effect.block, effect.part);
      case "copy":
        return copy(effect.text);
      case "server":
        return switchServer(effect.name, effect.isOn);
      case "action":
        return apply(performAction(current.current, effect.action, facts()));
      case "screen":
        return onScreen?.(effect.action);
      case "answer":
        return port.answer(effect.question, effect.reply);
      case "model":
        await port.setModel(effect.model);
        return change({ note: `Model: ${effect.model}` });
      case "queue":
        if (effect.change === "remove") return port.remove(effect.id);
        if (effect.change === "sendNow") return port.sendNow(effect.id);
        return port.move(effect.id, effect.change === "up" ? -1 : 1);
    }
  }

  useKeyboard((key) => {
    if (!isActive || table.frameActionOf(key) !== undefined) return;
    apply(handleKey(current.current, key, facts()));
  });
  usePaste((event) => {
    if (isActive) set(handlePaste(current.current, decodePasteBytes(event.bytes), facts()));
  });

  // The text that was selected with the mouse, when the button is released.
  useEffect(() => {
    const onSelection = (selection: Selection): void => {
      const text = selection.getSelectedText();
      if (text !== "") copy(text);
    };
    renderer.on("selection", onSelection);
    return () => void renderer.off("selection", onSelection);
  }, [renderer, port]);

  const question = view.questions[0];
  return (
    <Ticking value={isShown}>
      <box visible={isShown} style={{ width, height, flexDirection: "column", backgroundColor: inks.background }}>
        <Header view={view} place={place} inks={inks} width={width} />
        <Transcript
          view={view}
          inks={inks}
          isOutputOpen={state.isOutputOpen}
          marked={state.marked}
          isFound={state.find !== undefined}
          clock={port.now}
          mounted={mounted}
          scroll={scroll}
        />
        {unseen > 0 ? (
          <text
            {...inks.accent}
            style={{ height: 1, flexShrink: 0, paddingLeft: 1 }}
            onMouseDown={() => scrollTo("follow")}
          >
            {`${unseen} new ↓`}
          </text>
        ) : null}
        <Queue queue={view.queue} selected={state.queueAt} inks={inks} width={width} />
        {question === undefined || state.question === undefined ? null : (
          <QuestionPanel
            question={question}
            state={state.question}
            waiting={view.questions.length}
            inks={inks}
            onFocus={() => {
              const asked = current.current.question;
              if (asked !== undefined) change({ question: { ...asked, isFocused: true } });
            }}
          />
        )}
        {state.find === undefined ? null : (
          <FindLine find={state.find} matches={findMatches(view.blocks, state.find.query).length} inks={inks} />
        )}
        <InputLine
          input={state.input}
          hint={state.completion.hint}
          isFocused={state.question?.isFocused !== true && state.queueAt === undefined && state.find === undefined}
          inks={inks}
          rows={Math.max(1, Math.floor(height / 3))}
        />
        <Suggestions completion={state.completion} inks={inks} />
        <Footer
          view={view}
          clock={port.now}
          inks={inks}
          note={state.note}
          stopLabel={table.label("close")}
          width={width}
        />
        {state.overlay === undefined ? null : (
          <OverlayView
            overlay={state.overlay}
            table={table}
            paths={port.completion.paths}
            width={width}
            height={height}
            inks={inks}
          />
        )}
      </box>
    </Ticking>
  );
}
