// The sandbox that an agent's program is started in, as backends see it. A program and everything it starts is wrapped
// once. create-sandbox.ts makes one for a run; bubblewrap.ts and seatbelt.ts know the systems.

import type { SandboxMode } from "../../../lib/sandbox-mode.ts";
import type { Environment } from "../child-environment.ts";

/** What a program needs to work, beside the folder that it works in. */
export interface ProgramNeeds {
  /** Files and folders in which the program keeps its own state. Missing ones that end in `/` are made. */
  readonly state: readonly string[];
  /** Parts of the state that start something in the user's next session: settings with hooks, plugins. Read-only. */
  readonly settings?: readonly OwnSettings[] | undefined;
  /** Hosts of its model's service, and where the user's variables say that it is. */
  readonly hosts: readonly string[];
  /** A port on loopback that it listens on, for this process to connect to. */
  readonly listensOn?: number | undefined;
  /** Ports of this process on loopback that it has to reach. */
  readonly reaches?: readonly number[] | undefined;
}

export interface OwnSettings {
  /** A folder ends in `/`, and is made when it is missing. */
  readonly path: string;
  /** What a missing file is made with. Absent: it is not made, and so the program could make it. */
  readonly empty?: string | undefined;
}

/** How a program is started without a sandbox. */
export interface PlainStart {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
  /** The folder it is started in, if that is not the one it works in. */
  readonly folder?: string | undefined;
}

export interface SandboxedStart extends PlainStart {
  /** The program that is started is the sandbox: what it was asked to run is below it. */
  readonly isWrapped: boolean;
  /** Where this process reaches the port that the program listens on. */
  readonly portOutside?: (() => Promise<number>) | undefined;
  /** Call it when the program has ended. */
  readonly release: () => void;
}

export interface ProgramSandbox {
  readonly mode: Exclude<SandboxMode, "off">;
  /** The folder that an agent that works in `cwd` may write to. A program that serves several is started for each. */
  rootOf(cwd: string): string;
  /** A folder that holds work trees: a program that works in one of them may write to that one. */
  useTrees(dir: string): void;
  /** `worksIn`: the folder that the agent works in. */
  wrap(start: PlainStart, worksIn: string, needs: ProgramNeeds): Promise<SandboxedStart>;
  close(): Promise<void>;
}
