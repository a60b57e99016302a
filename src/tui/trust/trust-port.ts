// What the trust dialog shows and answers.

export interface ShownFile {
  readonly name: string;
  readonly change: "same" | "added" | "changed" | "removed";
  /** What it says now; absent for a file that is gone. */
  readonly text?: string | undefined;
  /** What changed since it was trusted, where that is known. */
  readonly difference?: readonly string[] | undefined;
}

/** Something that would run, and has no consent yet. */
export interface TrustRequest {
  readonly name: string;
  readonly path: string;
  readonly reason: "new" | "changed";
  readonly files: readonly ShownFile[];
  /** Code that it loads and that no hash covers. */
  readonly packages: readonly string[];
  readonly runtimeModules: readonly string[];
  readonly computed: readonly string[];
}

export type TrustChoice = "no" | "trust" | "once";

export interface TrustPort {
  /** The first that waits. */
  readonly waiting: { readonly subject: TrustRequest; choose(choice: TrustChoice): void } | undefined;
  onChange(listener: () => void): () => void;
}
