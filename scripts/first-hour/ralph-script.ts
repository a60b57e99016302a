// The script of the embedded agent in the first hour: two tasks, one after the other. The second one waits in its first
// turn until a file exists, so that Ctrl+C comes in the middle of it. Workers have separate folders, so the files that
// the two sides wait for have absolute paths.

const plan = {
  tasks: [
    { id: "1", title: "First verse", verify: "test -f first.txt" },
    { id: "2", title: "Second verse", blockedBy: ["1"], verify: "test -f second.txt" },
  ],
};

export interface Signs {
  /** Created by the second task when it starts. */
  readonly waiting: string;
  /** Its existence lets the second task continue. */
  readonly proceed: string;
}

export const ralphScript = ({ waiting, proceed }: Signs): object => ({
  version: 1,
  turns: [
    { agent: "planner", steps: [{ say: JSON.stringify(plan) }] },
    { agent: "worker", task: "1", steps: [{ bash: "echo 'one line' >> first.txt" }, { say: "Done." }] },
    {
      agent: "worker",
      task: "2",
      steps: [
        { bash: `touch '${waiting}'; until test -f '${proceed}'; do sleep 0.1; done` },
        { bash: "echo 'one line' >> second.txt" },
        { say: "Done." },
      ],
    },
    { agent: "reviewer", steps: [{ say: JSON.stringify({ verdict: "correct", findings: [] }) }] },
  ],
});
