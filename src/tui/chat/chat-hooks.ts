// What the chat screen follows: the conversation, the time, open questions, the draft. Owns the timers: frames are
// drawn at most 30 times a second, and nothing ticks while nothing runs.

import type { ScrollBoxRenderable } from "@opentui/core";
import { type RefObject, useEffect, useRef, useState } from "react";
import type { ChatView } from "../../chat/chat-view.ts";
import { wholeText } from "../input/input-state.ts";
import type { ChatPort } from "./chat-port.ts";
import { openQuestion, type ScreenState } from "./screen-state.ts";
import { isAtBottom } from "./transcript.tsx";

const frameMs = 33;
/** After this long, an empty, idle input gives the focus to a question. */
const focusAfterMs = 2000;
const draftAfterMs = 300;

/** At most one drawing per frame, however fast the agent writes. */
export function useView(port: ChatPort): ChatView {
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

/** The git state of the folder: known a moment after the first frame. */
export function usePlace(port: ChatPort): string {
  const [place, setPlace] = useState(port.place);
  useEffect(() => port.onChange(() => setPlace(port.place)), [port]);
  return place;
}

/** False until the promise says otherwise. */
export function useSettled(promise: Promise<boolean>): boolean {
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

/** How many blocks came while the user looked further up. */
export function useUnseen(view: ChatView, scroll: RefObject<ScrollBoxRenderable | null>): number {
  const seen = useRef(view.blocks.length);
  if (isAtBottom(scroll.current) || view.blocks.length < seen.current) seen.current = view.blocks.length;
  return view.blocks.length - seen.current;
}

export function useQuestion(view: ChatView, state: ScreenState, change: (by: Partial<ScreenState>) => void): void {
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

/** A sent text is no longer a draft, at once: another chat of the folder may open right after. */
export function useDraft(port: ChatPort, { input }: ScreenState): void {
  const hadText = useRef(false);
  useEffect(() => {
    const isCleared = hadText.current && input.text === "";
    hadText.current = input.text !== "";
    if (isCleared) {
      port.saveDraft("");
      return undefined;
    }
    const timer = setTimeout(() => port.saveDraft(wholeText(input)), draftAfterMs);
    return () => clearTimeout(timer);
  }, [port, input]);
}
