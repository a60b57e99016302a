// What the embedded agent plays in the first hour: two tasks, one after the other. The second one waits in its first
// turn until the file `continue` is there, so that Ctrl+C comes in the middle of it.

const plan = {
  tasks: [
    { id: "1", title: "First verse", verify: "test -f first.txt" },
    { id: "2", title: "Second verse", blockedBy: ["1"], verify: "test -f second.txt" },
  ],
};

export const ralphScript = {
  version: 1,
  turns: [
    { agent: "planner", steps: [{ say: JSON.stringify(plan) }] },
    { agent: "worker", task: "1", steps: [{ bash: "echo 'one line' >> first.txt" }, { say: "Done." }] },
    {
      agent: "worker",
      task: "2",
      steps: [
        { bash: "touch waiting; until test -f continue; do sleep 0.1; done" },
        { bash: "echo 'one line' >> second.txt" },
        { say: "Done." },
      ],
    },
    { agent: "reviewer", steps: [{ say: JSON.stringify({ verdict: "correct", findings: [] }) }] },
  ],
};
