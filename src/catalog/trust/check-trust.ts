// The only way from a file on disk to code that may run: reads the file with everything it imports, then decides. The
// closure in the result holds the bytes that were checked, and the loader runs those.

import { readImportClosure, type ClosureOptions, type ImportClosure } from "../modules/import-closure.ts";
import { decideTrust, type TrustDecision, type TrustOptions } from "./decide-trust.ts";
import { subjectOfModule, type TrustSubject } from "./trust-subject.ts";
import type { TrustStore } from "./trust-store.ts";

export interface ModuleToCheck {
  readonly kind: "workflow" | "tool";
  readonly realPath: string;
  readonly isOwn: boolean;
}

export interface CheckedModule {
  readonly closure: ImportClosure;
  /** What `store.record` takes once the user said yes. */
  readonly subject: TrustSubject;
  readonly decision: TrustDecision;
}

export interface CheckOptions extends ClosureOptions, TrustOptions {
  readonly atomicHome: string;
  readonly store: Pick<TrustStore, "find">;
}

/** Throws a Refusal when the file, or one that it imports, can't be used. */
export function checkTrust(module: ModuleToCheck, options: CheckOptions): CheckedModule {
  const closure = readImportClosure(module.realPath, options);
  const { kind, isOwn } = module;
  const subject = subjectOfModule(closure, { kind, isOwn, atomicHome: options.atomicHome });
  return { closure, subject, decision: decideTrust(subject, options.store.find(kind, subject.path), options) };
}
