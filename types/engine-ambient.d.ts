// What every JavaScript runtime has and the ES library does not describe. Only tsconfig.engine.json includes this
// file: an engine that needs more than this has stopped being neutral. Keep it to what the engine calls.

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

declare const AbortSignal: {
  abort(reason?: unknown): AbortSignal;
  any(signals: Iterable<AbortSignal>): AbortSignal;
  timeout(ms: number): AbortSignal;
};

declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/** An opaque handle: a number in some runtimes, an object in others. */
interface TimerHandle {
  readonly timerHandle: unique symbol;
}

declare function setTimeout(callback: () => void, ms?: number): TimerHandle;
declare function clearTimeout(timer: TimerHandle | undefined): void;
declare function queueMicrotask(callback: () => void): void;

declare const performance: { now(): number };

declare const crypto: {
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
};
