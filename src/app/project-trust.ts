// Whether the user trusts a project: the settings that make its agents start something, and those of Atomic's own that
// replace built-in prompts with the project's.

import { decideTrust } from "../catalog/trust/decide-trust.ts";
import type { TrustStore } from "../catalog/trust/trust-store.ts";
import { subjectOfProject, type TrustSubject } from "../catalog/trust/trust-subject.ts";
import { AtomicError } from "../lib/errors.ts";
import type { Settings } from "../settings/resolve-settings.ts";
import type { Folders } from "./folders.ts";

/** Throws NOT_TRUSTED when it can't be checked. */
export function projectSubject(folders: Folders, settings: Pick<Settings, "replacedByProject">): TrustSubject {
  const files = settings.replacedByProject().flatMap(({ at }) => at ?? []);
  return subjectOfProject(folders, [...new Set(files)]);
}

export interface ProjectTrustOptions {
  readonly folders: Folders;
  readonly settings: Pick<Settings, "replacedByProject">;
  readonly store: Pick<TrustStore, "find">;
  readonly isTrustedForThisRun: boolean;
  readonly onNotice: (text: string) => void;
}

export function isProjectTrusted(options: ProjectTrustOptions): boolean {
  const isTrusted = options.isTrustedForThisRun || isTrustedByRecord(options);
  for (const { key, value, at } of options.settings.replacedByProject()) {
    const what = `the built-in "${key.slice("builtins.".length)}"`;
    options.onNotice(
      isTrusted
        ? `${at}: The project replaces ${what} with "${value}".`
        : `${at}: The project would replace ${what} with "${value}". It is not trusted, so this is ignored.`,
    );
  }
  return isTrusted;
}

function isTrustedByRecord({ folders, settings, store, onNotice }: ProjectTrustOptions): boolean {
  try {
    const subject = projectSubject(folders, settings);
    const { isTrusted } = decideTrust(subject, store.find("project", subject.path));
    if (!isTrusted && subject.files.length > 0)
      onNotice(
        `The agent settings of ${folders.projectDir} are not trusted, so agents don't load them. Look at them, then run \`atomic trust\`, or add --trust for this run.`,
      );
    return isTrusted;
  } catch (thrown) {
    if (!AtomicError.is(thrown, "NOT_TRUSTED")) throw thrown;
    onNotice(thrown.message);
    return false;
  }
}
