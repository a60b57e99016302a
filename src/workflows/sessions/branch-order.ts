// The order of updates of parallel branches. The engine folds what branches changed in the order in which
// they were declared, whatever finished first, and leaves out branches that lost a race or were dropped; a record has
// them in the order in which they were written. Pure, and known from the record alone.

import type { RunEvent } from "../../events/run-event.ts";
import { PersistentMap } from "../../lib/persistent-map.ts";
import { keyPart } from "../graph/model/key.ts";
import type { RecordedGraph } from "./graph-shape.ts";

export interface BranchFacts {
  /** The position of a branch among those of its fork, by its path: `fork#1/left`. */
  readonly places: PersistentMap<number>;
  /** Branches that count no longer, by their path; and forks of which only one branch counts, with its name. */
  readonly dropped: PersistentMap<true>;
  readonly winners: PersistentMap<string>;
}

export const noBranches: BranchFacts = {
  places: PersistentMap.empty(),
  dropped: PersistentMap.empty(),
  winners: PersistentMap.empty(),
};

export function nextBranches(facts: BranchFacts, event: RunEvent, graph: RecordedGraph | undefined): BranchFacts {
  switch (event.type) {
    case "node.started":
    case "node.finished":
      return withPlaces(facts, event.key, graph);
    case "node.failed": {
      const own = branchesOf(event.key)?.at(-1);
      return event.lost === undefined || own === undefined
        ? facts
        : { ...facts, dropped: facts.dropped.set(own.path, true) };
    }
    case "branch.won":
      return { ...facts, winners: facts.winners.set(event.key, keyPart(event.branch)) };
    default:
      return facts;
  }
}

interface BranchOfKey {
  readonly fork: string;
  readonly name: string;
  readonly path: string;
  /** The node that the rest of the key begins with. */
  readonly next: string;
}

/**
 * The branches that a visit is in, from the outermost: `fork#1/left/work#2` is in `left` of `fork#1`. Undefined for a
 * visit inside a subgraph, which writes to a state of its own; what comes of that is the update of the node that runs
 * it.
 */
export function branchesOf(key: string): readonly BranchOfKey[] | undefined {
  if (!key.includes("/")) return noneOfThem;
  const parts = key.split("/");
  const found: BranchOfKey[] = [];
  // Visits and branches take turns; the last is a visit.
  for (let i = 1; i < parts.length; i += 2) {
    const [name, next] = [parts[i], parts[i + 1]];
    if (name === undefined || next === undefined || !isBranchName(name)) return undefined;
    const fork = parts.slice(0, i).join("/");
    found.push({ fork, name, path: `${fork}/${name}`, next: nodePart(next) });
  }
  return found;
}

const noneOfThem: readonly BranchOfKey[] = [];

/** Names have no number; those of branches that continued as one have one only together with a plus. */
function isBranchName(part: string): boolean {
  return part !== "" && (!part.includes("#") || part.includes("+"));
}

const nodePart = (part: string): string => part.replace(/#\d+$/, "");

function withPlaces(facts: BranchFacts, key: string, graph: RecordedGraph | undefined): BranchFacts {
  const branches = branchesOf(key);
  if (branches === undefined || branches.length === 0) return facts;
  let { places } = facts;
  for (const { fork, name, path, next } of branches) {
    if (places.has(path) || name.includes("+")) continue;
    places = places.set(path, placeOf(fork, { name, next }, graph) ?? places.size);
  }
  return places === facts.places ? facts : { ...facts, places };
}

/**
 * By the edge that it began with. Branches of a parallel node have names of their own, and begin with the node they
 * name.
 */
function placeOf(
  fork: string,
  branch: { name: string; next: string },
  graph: RecordedGraph | undefined,
): number | undefined {
  const from = nodePart(fork.slice(fork.lastIndexOf("/") + 1));
  const targets = (graph?.edges ?? [])
    .filter((edge) => !edge.isConditional && keyPart(edge.from) === from)
    .map(({ to }) => keyPart(to));
  const at = targets.includes(branch.name) ? targets.indexOf(branch.name) : targets.indexOf(branch.next);
  return at === -1 ? undefined : at;
}

/** Something that a visit wrote. */
interface Written {
  readonly key: string;
}

/** As the engine folds them: those of each fork branch by branch, without branches that count no longer. */
export function inBranchOrder<Update extends Written>(
  updates: readonly Update[],
  facts: BranchFacts,
): readonly Update[] {
  return updates.some(({ key }) => key.includes("/")) ? orderFrom(updates, facts, 0) : updates;
}

/** `depth`: the number of branches that all of them share. */
function orderFrom<Update extends Written>(
  updates: readonly Update[],
  facts: BranchFacts,
  depth: number,
): readonly Update[] {
  return forksOf(updates, depth).flatMap(({ fork, parts }) =>
    fork === undefined
      ? parts.map(({ update }) => update)
      : byBranch(parts, facts).flatMap((branch) => orderFrom(branch, facts, depth + 1)),
  );
}

interface Part<Update> {
  readonly update: Update;
  readonly branch: BranchOfKey | undefined;
}

/** Those of one fork stand together: nothing else runs beside its branches. */
function forksOf<Update extends Written>(
  updates: readonly Update[],
  depth: number,
): readonly { readonly fork: string | undefined; readonly parts: readonly Part<Update>[] }[] {
  const groups: { readonly fork: string | undefined; readonly parts: Part<Update>[] }[] = [];
  for (const update of updates) {
    const branch = branchesOf(update.key)?.[depth];
    const last = groups.at(-1);
    if (last !== undefined && last.fork === branch?.fork) last.parts.push({ update, branch });
    else groups.push({ fork: branch?.fork, parts: [{ update, branch }] });
  }
  return groups;
}

function byBranch<Update>(parts: readonly Part<Update>[], facts: BranchFacts): readonly (readonly Update[])[] {
  const branches = new Map<string, { readonly at: number; readonly updates: Update[] }>();
  for (const { update, branch } of parts) {
    if (branch === undefined) continue;
    const { fork, name, path } = branch;
    const winner = facts.winners.get(fork);
    if (facts.dropped.has(path) || (winner !== undefined && winner !== name)) continue;
    const known = branches.get(path);
    if (known === undefined) branches.set(path, { at: placeAmong(fork, name, facts), updates: [update] });
    else known.updates.push(update);
  }
  return [...branches.values()].sort((a, b) => a.at - b.at).map(({ updates }) => updates);
}

/** Some branches that continued as one, `a+b`, come behind the last of them. */
function placeAmong(fork: string, name: string, { places }: BranchFacts): number {
  const names = name.split("+").map((each) => each.replace(/~.*/s, ""));
  const last = Math.max(...names.map((each) => places.get(`${fork}/${each}`) ?? 0));
  return names.length > 1 ? last + 0.5 : last;
}
