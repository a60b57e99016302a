// A desktop notification through the terminal (OSC 9); terminals that don't support it ignore it. tmux forwards only
// sequences that are wrapped for it.

const escape = "\x1b";

export function noticeSequence(text: string, isTmux: boolean): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ").slice(0, 200);
  const notice = `${escape}]9;${line}\x07`;
  return isTmux ? `${escape}Ptmux;${notice.replaceAll(escape, escape + escape)}${escape}\\` : notice;
}
