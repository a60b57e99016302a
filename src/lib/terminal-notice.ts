// A notification that the terminal shows (OSC 9), where it knows those; others ignore it. tmux passes on only what is
// wrapped for it.

const escape = "\x1b";

export function noticeSequence(text: string, isTmux: boolean): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ").slice(0, 200);
  const notice = `${escape}]9;${line}\x07`;
  return isTmux ? `${escape}Ptmux;${notice.replaceAll(escape, escape + escape)}${escape}\\` : notice;
}
