// Hosts that a strict sandbox lets a program reach: `api.example.com` (ports 80 and 443), `*.example.com` (everything
// below it), `example.com:8443`, `127.0.0.1:11434`. Names are compared as they are asked for; nothing is looked up.

export interface HostRule {
  /** In lower case; `*.` at the start stands for any number of names. */
  readonly host: string;
  /** Undefined: 80 and 443. */
  readonly port: number | undefined;
}

const usualPorts = [80, 443];
const namePattern = /^(?:\*\.)?[a-z\d](?:[a-z\d._-]*[a-z\d])?$/;

/** Undefined for a text that names no host. */
export function parseHostRule(text: string): HostRule | undefined {
  const written = text.trim().toLowerCase();
  const [, bracketed, plain, port] = /^(?:\[([\da-f:.]+)\]|([^:[\]/]+))(?::(\d{1,5}))?$/.exec(written) ?? [];
  const host = bracketed ?? plain ?? "";
  const number = port === undefined ? undefined : Number(port);
  const isName = bracketed === undefined && namePattern.test(host);
  if ((!isName && bracketed === undefined) || (number !== undefined && (number < 1 || number > 65_535)))
    return undefined;
  return { host, port: number };
}

/** The host of a URL, as a rule; undefined if it is not a URL. */
export function ruleOfUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, port, protocol } = new URL(url);
  if (hostname === "" || !/^https?:$/.test(protocol)) return undefined;
  return port === "" ? hostname : `${hostname}:${port}`;
}

export function isHostAllowed(rules: readonly HostRule[], host: string, port: number): boolean {
  const asked = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
  return rules.some(
    (rule) =>
      (rule.port === undefined ? usualPorts.includes(port) : rule.port === port) &&
      (rule.host.startsWith("*.") ? asked.endsWith(rule.host.slice(1)) : asked === rule.host),
  );
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
