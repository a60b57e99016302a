// Which tokens are at which node, for tokens in branches. Most nodes have one, so a set is created only for more.

import type { Token } from "./token.ts";

export class TokensAtNodes {
  /** An array indexed by node: joins scan hundreds of nodes, and a map would be ten times slower. */
  readonly #byNode: (Token | Set<Token> | undefined)[];

  constructor(nodes: number) {
    this.#byNode = Array.from({ length: nodes }, () => undefined);
  }

  /** The token stands at `node` now. */
  put(token: Token, node: number): void {
    if (token.standsAt === node) return;
    this.remove(token);
    token.standsAt = node;
    const others = this.#byNode[node];
    if (others === undefined) this.#byNode[node] = token;
    else if (others instanceof Set) others.add(token);
    else this.#byNode[node] = new Set([others, token]);
  }

  /** The token stands nowhere, or where others need not look for it. */
  remove(token: Token): void {
    const node = token.standsAt;
    if (node === undefined) return;
    token.standsAt = undefined;
    const there = this.#byNode[node];
    if (there === token) this.#byNode[node] = undefined;
    else if (there instanceof Set && there.delete(token) && there.size === 0) this.#byNode[node] = undefined;
  }

  isAny(node: number): boolean {
    return this.#byNode[node] !== undefined;
  }

  /** The first token at the node that fits. */
  find(node: number, fits: (token: Token) => boolean): Token | undefined {
    const there = this.#byNode[node];
    if (there === undefined) return undefined;
    if (!(there instanceof Set)) return fits(there) ? there : undefined;
    for (const token of there) if (fits(token)) return token;
    return undefined;
  }
}
