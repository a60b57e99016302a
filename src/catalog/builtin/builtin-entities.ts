// The skills and agents that come with the program. Their texts are the markdown files beside this one, read with the
// same parser as all others; bundlers include them as text, so no file is read at run time.

import codebaseAnalyzer from "./agents/codebase-analyzer.md" with { type: "text" };
import codebaseLocator from "./agents/codebase-locator.md" with { type: "text" };
import codebasePatternFinder from "./agents/codebase-pattern-finder.md" with { type: "text" };
import codebaseOnlineResearcher from "./agents/codebase-online-researcher.md" with { type: "text" };
import codebaseResearchAnalyzer from "./agents/codebase-research-analyzer.md" with { type: "text" };
import codebaseResearchLocator from "./agents/codebase-research-locator.md" with { type: "text" };
import debuggerText from "./agents/debugger.md" with { type: "text" };
import planner from "./agents/planner.md" with { type: "text" };
import worker from "./agents/worker.md" with { type: "text" };
import reviewer from "./agents/reviewer.md" with { type: "text" };
import researchCodebase from "./skills/research-codebase.md" with { type: "text" };
import createSpec from "./skills/create-spec.md" with { type: "text" };
import createFeatureList from "./skills/create-feature-list.md" with { type: "text" };
import implementFeature from "./skills/implement-feature.md" with { type: "text" };
import commit from "./skills/commit.md" with { type: "text" };
import createGhPr from "./skills/create-gh-pr.md" with { type: "text" };
import explainCode from "./skills/explain-code.md" with { type: "text" };
import type { EntityType, UnifiedEntity } from "../entities/entity.ts";
import { parseEntity } from "../entities/parse-entity.ts";
import { parseMarkdown } from "../markdown/markdown-document.ts";

const texts: readonly (readonly [EntityType, string])[] = [
  ["skill", researchCodebase],
  ["skill", createSpec],
  ["skill", createFeatureList],
  ["skill", implementFeature],
  ["skill", commit],
  ["skill", createGhPr],
  ["skill", explainCode],
  ["agent", codebaseAnalyzer],
  ["agent", codebaseLocator],
  ["agent", codebasePatternFinder],
  ["agent", codebaseOnlineResearcher],
  ["agent", codebaseResearchAnalyzer],
  ["agent", codebaseResearchLocator],
  ["agent", debuggerText],
  ["agent", planner],
  ["agent", worker],
  ["agent", reviewer],
];

let parsed: readonly UnifiedEntity[] | undefined;

/** All built-ins, parsed on first use. */
export function builtinEntities(): readonly UnifiedEntity[] {
  parsed ??= texts.map(([type, text]) => parseBuiltin(type, text));
  return parsed;
}

/** Read from the text, so that no file has to be parsed for it. */
export function builtinHint(name: string): string | undefined {
  const text = texts.find(([, each]) => fieldOf(each, "name") === name)?.[1];
  return text === undefined ? undefined : fieldOf(text, "argument-hint");
}

/** One line of the frontmatter of a built-in, whose values are plain or in double quotes. */
function fieldOf(text: string, field: string): string | undefined {
  const frontmatter = text.slice(0, text.indexOf("\n---", 3));
  return new RegExp(`^${field}: *"?(.*?)"?$`, "m").exec(frontmatter)?.[1];
}

function parseBuiltin(type: EntityType, text: string): UnifiedEntity {
  const { frontmatter, body } = parseMarkdown(text);
  const source = { provider: "atomic", location: "builtin" } as const;
  return parseEntity({ type, source, defaultName: "unnamed", fields: frontmatter, prompt: body }).entity;
}
