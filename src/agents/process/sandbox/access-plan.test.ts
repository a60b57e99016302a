import { expect, test } from "bun:test";
import { planAccess } from "./access-plan.ts";

test("planAccess puts outer folders before inner ones, and lets a protected path win over a writable one", () => {
  const plan = planAccess({
    write: ["/p/.git/worktrees/a", "/p"],
    read: ["/p/.git/hooks", "/p/.git/worktrees/a/gitdir"],
  });
  const paths = plan.map(({ path }) => path);
  expect(paths.indexOf("/p")).toBeLessThan(paths.indexOf("/p/.git/hooks"));
  expect(paths.indexOf("/p/.git/worktrees/a")).toBeLessThan(paths.indexOf("/p/.git/worktrees/a/gitdir"));
  expect(plan.find(({ path }) => path === "/p/.git/hooks")?.access).toBe("read");
  expect(planAccess({ write: ["/p"], read: ["/p"] })).toEqual([{ path: "/p", access: "read" }]);
});

test("planAccess makes every folder between a writable and a protected one an entry, so that none can be moved away", () => {
  const plan = planAccess({ write: ["/p"], read: ["/p/a/b/c"] });
  expect(plan).toEqual([
    { path: "/p", access: "write" },
    { path: "/p/a", access: "write" },
    { path: "/p/a/b", access: "write" },
    { path: "/p/a/b/c", access: "read" },
  ]);
});

test("planAccess leaves folders alone that nothing may be written to", () => {
  const plan = planAccess({ write: ["/data/.atomic/s/trees/t"], read: ["/data/.atomic"] });
  expect(plan).toEqual([
    { path: "/data/.atomic", access: "read" },
    { path: "/data/.atomic/s/trees/t", access: "write" },
  ]);
});
