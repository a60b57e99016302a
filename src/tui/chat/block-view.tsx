/** @jsxImportSource @opentui/react */
// One piece of the conversation. A finished piece never changes, so it is drawn once; only what is being written is
// drawn again. Everything from outside goes through safeText first.

import { memo, type ReactNode } from "react";
import type { ChatBlock, SubagentBlock, ToolBlock } from "../../chat/chat-view.ts";
import { counted } from "../../lib/counted.ts";
import { plainMarkdown } from "../../lib/plain-markdown.ts";
import { safeLine, safeText } from "../../lib/safe-text.ts";
import { useTicking } from "../use-ticking.ts";
import { diffParts, shortTime, splitMarkdown, stateSign } from "./format.ts";
import type { Inks } from "./ink.ts";
import { remaining } from "./remaining.ts";

export interface BlockProps {
  readonly block: ChatBlock;
  readonly inks: Inks;
  /** Full output and thinking. */
  readonly isOpen: boolean;
  readonly isLive: boolean;
  /** For blocks that still run. */
  readonly clock: () => number;
}

const shownLines = 200;

export const BlockView = memo(function BlockView(props: BlockProps) {
  const { block, inks, isOpen, isLive } = props;
  switch (block.kind) {
    case "person":
      return (
        <box style={{ flexDirection: "row", marginTop: 1, flexShrink: 0 }}>
          <text {...inks.accent} style={{ width: 5, flexShrink: 0 }}>
            you
          </text>
          <text {...inks.text} style={{ flexShrink: 1, flexGrow: 1 }}>
            {safeText(block.text)}
          </text>
        </box>
      );
    case "said":
      return (
        <box style={{ flexDirection: "row", marginTop: 1, flexShrink: 0 }}>
          <text {...inks.accent} style={{ width: 3, flexShrink: 0 }}>
            ●
          </text>
          <Said text={safeText(block.text)} inks={inks} isLive={isLive} />
        </box>
      );
    case "thought":
      return <Aside sign="∴" title={isOpen ? "" : "thinking"} text={isOpen ? block.text : ""} inks={inks} />;
    case "tool":
      return <Tool {...props} block={block} />;
    case "subagent":
      return <Subagent {...props} block={block} />;
    case "asked":
      return (
        <Aside
          sign="?"
          title={safeLine(plainMarkdown(block.question), 200)}
          text={block.answer === undefined ? "declined" : block.answer}
          inks={inks}
        />
      );
    case "notice":
      return (
        <Indented columns={3} gap={1}>
          <text {...(block.level === "warning" ? inks.bad : inks.muted)}>{safeText(block.text)}</text>
        </Indented>
      );
    case "compacted":
      return <Compacted summary={block.summary} isOpen={isOpen} inks={inks} />;
    case "ended":
      return (
        <Indented columns={3} gap={1}>
          <text {...(block.outcome === "failed" ? inks.bad : inks.muted)}>
            {`${stateSign(block.outcome)} ${safeText(block.text)}`}
          </text>
        </Indented>
      );
  }
});

function Said({ text, inks, isLive }: { readonly text: string; readonly inks: Inks; readonly isLive: boolean }) {
  // Of the same shape when it is finished: what is mounted stays, and nothing flickers.
  const { finished, open } = splitMarkdown(text);
  return (
    <box style={{ flexDirection: "column", flexGrow: 1, flexShrink: 1 }}>
      {finished.map((part, i) => (
        <Markdown key={i} text={part} inks={inks} isStreaming={false} />
      ))}
      {open.trim() === "" ? null : <Markdown key={finished.length} text={open} inks={inks} isStreaming={isLive} />}
    </box>
  );
}

const Markdown = memo(function Markdown({
  text,
  inks,
  isStreaming,
}: {
  readonly text: string;
  readonly inks: Inks;
  readonly isStreaming: boolean;
}) {
  if (inks.markdown === undefined)
    return (
      <text {...inks.text} style={{ flexGrow: 1, flexShrink: 1 }}>
        {text.trimEnd()}
      </text>
    );
  return (
    <markdown
      content={text}
      syntaxStyle={inks.markdown}
      fg={inks.text.fg}
      streaming={isStreaming}
      conceal
      style={{ flexGrow: 1, flexShrink: 1 }}
    />
  );
});

function Tool({ block, inks, isOpen, clock }: BlockProps & { readonly block: ToolBlock }) {
  const { state, name, title, added, removed, ms, output, startedAt } = block;
  const now = useTicking(clock, ms === undefined);
  const ink = state === "failed" ? inks.bad : state === "ok" ? inks.good : inks.accent;
  const change = added === undefined ? "" : `+${added} −${removed ?? 0}  `;
  const time = ms === undefined ? shortTime(Math.max(0, now - startedAt)) : ms < 50 ? "" : shortTime(ms);
  const last = state === "running" ? lastLine(output) : "";
  const lines = isOpen ? safeText(output).trimEnd() : "";
  return (
    <box style={{ flexDirection: "column", flexShrink: 0 }}>
      <box style={{ flexDirection: "row", height: 1, paddingLeft: 3 }}>
        <text {...ink} style={{ width: 2, flexShrink: 0 }}>
          {stateSign(state)}
        </text>
        <text {...inks.strong} style={{ flexShrink: 0 }} wrapMode="none">
          {`${safeLine(name, 24)}  `}
        </text>
        <text {...inks.muted} style={remaining} wrapMode="none" truncate>
          {`${safeLine(title, 300)}${last === "" ? "" : `  ${last}`}`}
        </text>
        <text {...inks.muted} style={{ flexShrink: 0 }} wrapMode="none">
          {`  ${change}${time}`}
        </text>
      </box>
      {lines === "" ? null : <Output text={tail(lines)} inks={inks} isDiff={added !== undefined} />}
    </box>
  );
}

function Subagent({ block, inks, isOpen, clock }: BlockProps & { readonly block: SubagentBlock }) {
  const { state, name, task, text, tools, ms, startedAt, isBackground } = block;
  const now = useTicking(clock, ms === undefined);
  const time = shortTime(ms ?? Math.max(0, now - startedAt));
  const doing = state === "running" && text !== "" ? text : task;
  const about = `${isBackground ? "in the background  " : ""}${safeLine(doing, 300)}`;
  return (
    <box style={{ flexDirection: "column", flexShrink: 0 }}>
      <box style={{ flexDirection: "row", height: 1, paddingLeft: 3 }}>
        <text {...(state === "failed" ? inks.bad : inks.accent)} style={{ width: 2, flexShrink: 0 }}>
          {stateSign(state)}
        </text>
        <text {...inks.strong} style={{ flexShrink: 0 }} wrapMode="none">
          {`└ ${safeLine(name, 30)}  `}
        </text>
        <text {...inks.muted} style={remaining} wrapMode="none" truncate>
          {about}
        </text>
        <text {...inks.muted} style={{ flexShrink: 0 }} wrapMode="none">
          {`  ${tools === 0 ? "" : `${counted(tools, "tool")}  `}${time}`}
        </text>
      </box>
      {isOpen && state !== "running" ? (
        <Indented columns={5}>
          <text {...inks.muted}>{tail(safeText(text))}</text>
        </Indented>
      ) : null}
    </box>
  );
}

function Aside({
  sign,
  title,
  text,
  inks,
}: {
  readonly sign: string;
  readonly title: string;
  readonly text: string;
  readonly inks: Inks;
}) {
  const shown = [title, tail(safeText(text))].filter((part) => part.trim() !== "").join("\n");
  return (
    <box style={{ flexDirection: "row", paddingLeft: 3, flexShrink: 0 }}>
      <text {...inks.muted} style={{ width: 2, flexShrink: 0 }}>
        {sign}
      </text>
      <text {...inks.muted} style={{ flexGrow: 1, flexShrink: 1 }}>
        {shown}
      </text>
    </box>
  );
}

/** A line about it; below that, what the agent keeps of the conversation. */
function Compacted(props: { readonly summary: string; readonly isOpen: boolean; readonly inks: Inks }) {
  const [first = "", ...rest] = props.summary.split("\n");
  const more = rest.join("\n").trim();
  const title = more === "" || props.isOpen ? first : `${first}  ^O shows the summary`;
  return <Aside sign="─" title={title} text={props.isOpen ? more : ""} inks={props.inks} />;
}

/** Lines that a change adds and removes have its colours. */
function Output({ text, inks, isDiff }: { readonly text: string; readonly inks: Inks; readonly isDiff: boolean }) {
  if (!isDiff)
    return (
      <Indented columns={5}>
        <text {...inks.muted}>{text}</text>
      </Indented>
    );
  return (
    <Indented columns={5}>
      {diffParts(text).map(({ sign, lines }, i) => (
        <text key={i} {...(sign === "+" ? inks.good : sign === "-" ? inks.bad : inks.muted)} style={{ flexShrink: 0 }}>
          {lines.join("\n")}
        </text>
      ))}
    </Indented>
  );
}

interface IndentedProps {
  readonly columns: number;
  /** Empty lines before. */
  readonly gap?: number;
  readonly children: ReactNode;
}

/** Text elements have no padding. */
function Indented({ columns, gap = 0, children }: IndentedProps) {
  return <box style={{ flexDirection: "column", marginTop: gap, paddingLeft: columns, flexShrink: 0 }}>{children}</box>;
}

function lastLine(output: string): string {
  return safeLine(output.slice(-400).trimEnd().split("\n").at(-1) ?? "", 80);
}

function tail(text: string): string {
  const lines = text.split("\n");
  if (lines.length <= shownLines) return text;
  return [`… ${counted(lines.length - shownLines, "earlier line")}`, ...lines.slice(-shownLines)].join("\n");
}
