import { expect, test } from "bun:test";
import { checkSandbox, installCommand } from "./check-sandbox.ts";

test("checkSandbox says what is missing and how to install it, in one sentence", async () => {
  const check = await checkSandbox("worktree", { environment: { PATH: "/nonexistent" }, cwd: "/", platform: "linux" });
  expect(check.problem).toMatch(/^bubblewrap is not installed: install it with `.+`\.$/);
});

test("checkSandbox names no sandbox on systems that have none", async () => {
  const check = await checkSandbox("strict", { environment: {}, cwd: "/", platform: "win32" });
  expect(check.problem).toBe("There is no sandbox for Windows: run in a container or in WSL 2.");
});

test("installCommand goes by the system's release file", () => {
  expect(installCommand('ID=ubuntu\nID_LIKE=debian\nNAME="Ubuntu"')).toBe("sudo apt-get install bubblewrap");
  expect(installCommand('ID="rocky"\nID_LIKE="rhel centos fedora"')).toBe("sudo dnf install bubblewrap");
  expect(installCommand("ID=alpine")).toBe("sudo apk add bubblewrap");
  expect(installCommand("")).toContain("bubblewrap");
});
