/** @jsxImportSource @opentui/react */
// The chat screen: puts the parts together, passes keys to handle-key.ts and carries out what comes of them. Owns the
// timers: frames are drawn at most 30 times a second, and nothing ticks while nothing runs.

import { decodePasteBytes, type ScrollBoxRenderable } from "@opentui/core";
import { useKeyboard, usePaste, useRenderer, useTerminalDimensions } from "@opentui/react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ChatView } from "../../chat/chat-view.ts";
import { AtomicError } from "../../lib/errors.ts";
import { editInput, wholeText } from "../input/input-state.ts";
import type { KeyTable } from "../keys/key-table.ts";
import { changeTheme, type Theme } from "../theme.ts";
import type { ChatPort, LineOutcome } from "./chat-port.ts";
import { handleKey, handlePaste, recompleted } from "./handle-key.ts";
import type { Effect, KeyFacts } from "./handled.ts";
import { inksOf } from "./ink.ts";
import { OverlayView } from "./overlay-view.tsx";
import { Footer, Header, InputLine, QuestionPanel, Queue, Suggestions } from "./panels.tsx";
import { firstState, openQuestion, type ScreenState } from "./screen-state.ts";
import { isAtBottom, Transcript } from "./transcript.tsx";

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
  /** The person chose another one. */
  readonly onTheme?: (theme: Theme) => void;
  /** Keys are taken from now on. */
  readonly onReady?: () => void;
  readonly onExit: () => void;
}

const frameMs = 33;
const mountedBlocks = 120;
/** An empty, idle input for so long gives the focus to a question. */
const focusAfterMs = 2000;
const draftAfterMs = 300;

export function ChatScreen(props: ChatScreenProps) {
  const { port, table, theme: first, highlighting, isShown = true, isActive = true } = props;
  const { onTheme, onReady, onExit } = props;
  const { width, height } = useTerminalDimensions();
  const renderer = useRenderer();
  const view = useView(port);
  const now = useTicking(port, view.turn !== undefined);
  const [theme, setTheme] = useState(first);
  const isHighlighted = useSettled(highlighting);
  const inks = useMemo(() => inksOf(theme, isHighlighted), [theme, isHighlighted]);
  const [state, setState] = useState(() => firstState(port.draft));
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
  });

  function show(outcome: LineOutcome): void {
    if (outcome.shouldExit === true) return onExit();
    if (outcome.themeChange !== undefined) {
      const next = changeTheme(theme, outcome.themeChange);
      setTheme(next);
      onTheme?.(next);
    }
    if (outcome.showModelSelector !== undefined)
      return change({ overlay: { kind: "models", models: outcome.showModelSelector, query: "", selected: 0 } });
    const servers = outcome.mcpSnapshot?.map(({ name, status }) => `${name}  ${status}`);
    const text = outcome.message ?? servers?.join("\n");
    if (text === undefined) return;
    if (text.includes("\n")) change({ overlay: { kind: "text", title: "help", text, top: 0 } });
    else change({ note: text });
  }

  /** What the program refuses is said in the last line; anything else ends the screen. */
  function refused(thrown: unknown): void {
    if (!AtomicError.is(thrown)) throw thrown;
    change({ note: thrown.message });
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
    const { state: next, effects } = handleKey(current.current, key, facts());
    set(next);
    for (const effect of effects) carryOut(effect).catch(refused);
  });
  usePaste((event) => {
    if (isActive) set(handlePaste(current.current, decodePasteBytes(event.bytes), facts()));
  });

  // After the two above have subscribed.
  useEffect(() => onReady?.(), []);

  const question = view.questions[0];
  return (
    <box visible={isShown} style={{ width, height, flexDirection: "column", backgroundColor: inks.background }}>
      <Header view={view} place={port.place} inks={inks} />
      <Transcript
        view={view}
        inks={inks}
        isOutputOpen={state.isOutputOpen}
        now={now}
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
      <Queue queue={view.queue} selected={state.queueAt} inks={inks} />
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
      <InputLine
        input={state.input}
        hint={state.completion.hint}
        isFocused={state.question?.isFocused !== true && state.queueAt === undefined}
        inks={inks}
        rows={Math.max(1, Math.floor(height / 3))}
      />
      <Suggestions completion={state.completion} inks={inks} />
      <Footer view={view} now={now} inks={inks} note={state.note} stopLabel={table.label("close")} width={width} />
      {state.overlay === undefined ? null : (
        <OverlayView
          overlay={state.overlay}
          table={table}
          history={port.history()}
          width={width}
          height={height}
          inks={inks}
        />
      )}
    </box>
  );
}

/** At most one drawing per frame, however fast the agent writes. */
function useView(port: ChatPort): ChatView {
  const [view, setView] = useState(port.view);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const update = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setView(port.view);
      }, frameMs);
    };
    const stop = port.onChange(update);
    setView(port.view);
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [port]);
  return view;
}

/** False until the promise says otherwise. */
function useSettled(promise: Promise<boolean>): boolean {
  const [value, setValue] = useState(false);
  useEffect(() => {
    let isMounted = true;
    void promise.then((settled) => isMounted && settled && setValue(true));
    return () => {
      isMounted = false;
    };
  }, [promise]);
  return value;
}

/** The time, once a second, while something runs. */
function useTicking(port: ChatPort, isRunning: boolean): number {
  const [now, setNow] = useState(port.now());
  useEffect(() => {
    setNow(port.now());
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNow(port.now()), 1000);
    return () => clearInterval(timer);
  }, [port, isRunning]);
  return now;
}

/** How many blocks came while the person looked further up. */
function useUnseen(view: ChatView, scroll: React.RefObject<ScrollBoxRenderable | null>): number {
  const seen = useRef(view.blocks.length);
  if (isAtBottom(scroll.current) || view.blocks.length < seen.current) seen.current = view.blocks.length;
  return view.blocks.length - seen.current;
}

function useQuestion(view: ChatView, state: ScreenState, change: (by: Partial<ScreenState>) => void): void {
  const [question] = view.questions;
  const id = question?.id;
  const { question: shown, input } = state;
  useEffect(() => {
    if (question === undefined) change({ question: undefined });
    else if (shown?.id !== id) change({ question: openQuestion(question) });
  }, [id]);
  const isIdle = shown !== undefined && !shown.isFocused && !shown.isLater && input.text === "";
  useEffect(() => {
    if (!isIdle || shown === undefined) return undefined;
    const timer = setTimeout(() => change({ question: { ...shown, isFocused: true } }), focusAfterMs);
    return () => clearTimeout(timer);
  }, [isIdle, shown?.id]);
}

function useDraft(port: ChatPort, { input }: ScreenState): void {
  useEffect(() => {
    const timer = setTimeout(() => port.saveDraft(wholeText(input)), draftAfterMs);
    return () => clearTimeout(timer);
  }, [port, input]);
}
