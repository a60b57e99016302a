import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serverEnvironment, type ServerNeeds } from "./server-config.ts";

const home = mkdtempSync(join(tmpdir(), "atomic-config-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
mkdirSync(join(home, ".claude/skills"), { recursive: true });

function setUp(options: { needs?: Partial<ServerNeeds>; user?: Record<string, string>; isWithTools?: boolean } = {}) {
  const environment = serverEnvironment({
    needs: { isProjectTrusted: false, subagents: [], ...options.needs },
    user: { HOME: home, ...options.user },
    folder: "/empty",
    password: "secret",
    tools: options.isWithTools === true ? { url: "http://127.0.0.1:1/mcp", headers: { a: "b" } } : undefined,
  });
  return { environment, config: JSON.parse(environment["OPENCODE_CONFIG_CONTENT"] ?? "") };
}

test("a server always has a password, and shares and updates nothing", () => {
  const { environment, config } = setUp({ user: { OPENCODE_SERVER_USERNAME: "me" } });

  expect(environment).toMatchObject({
    OPENCODE_SERVER_PASSWORD: "secret",
    OPENCODE_SERVER_USERNAME: "opencode",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    PWD: "/empty",
  });
  expect(config).toMatchObject({ share: "disabled", autoupdate: false });
});

test("an untrusted project's settings, skills, language servers and formatters are switched off", () => {
  const { environment, config } = setUp();

  expect(environment).toMatchObject({ OPENCODE_DISABLE_PROJECT_CONFIG: "1", OPENCODE_DISABLE_EXTERNAL_SKILLS: "1" });
  expect(config).toMatchObject({ lsp: false, formatter: false, skills: { paths: [join(home, ".claude/skills")] } });
});

test("a trusted project is left as it is", () => {
  const { environment, config } = setUp({ needs: { isProjectTrusted: true } });

  expect(environment).not.toContainAnyKeys(["OPENCODE_DISABLE_PROJECT_CONFIG", "OPENCODE_DISABLE_EXTERNAL_SKILLS"]);
  expect(config).not.toContainAnyKeys(["lsp", "formatter", "skills"]);
});

test("a list of skills in the user's own configuration stays", () => {
  const config = join(home, "config");
  mkdirSync(join(config, "opencode"), { recursive: true });
  writeFileSync(join(config, "opencode/opencode.jsonc"), '{ /* mine */ "skills": { "paths": ["/mine"] } }');

  expect(setUp({ user: { XDG_CONFIG_HOME: config } }).config).not.toContainKey("skills");
  expect(setUp({ user: { OPENCODE_CONFIG_CONTENT: '{ "skills": { "paths": ["/x"] } }' } }).config.skills).toEqual({
    paths: ["/x"],
  });
});

test("the user's own configuration in the environment is kept, and ours comes over it", () => {
  const own = '{ // mine\n "model": "a/b", "share": "auto", "experimental": { "openTelemetry": true } }';
  const { config } = setUp({ user: { OPENCODE_CONFIG_CONTENT: own } });

  expect(config).toMatchObject({
    model: "a/b",
    share: "disabled",
    experimental: { openTelemetry: true, continue_loop_on_deny: true },
  });
});

test("a configuration in the environment that can't be read is refused with what to do", () => {
  for (const content of ["{", "[]", "1"])
    expect(() => setUp({ user: { OPENCODE_CONFIG_CONTENT: content } })).toThrow(
      expect.objectContaining({ code: "AGENT_UNAVAILABLE" }),
    );
});

test("no permission is granted by rule: the user's denials and OpenCode's own stay", () => {
  expect(setUp().config).not.toContainKey("permission");
});

test("sub-agents are defined with their instructions, model and tools", () => {
  const { config } = setUp({
    needs: { subagents: [{ name: "tester", prompt: "Test.", model: "a/b", tools: ["read", "write", "edit"] }] },
  });

  expect(config.agent.tester).toEqual({
    mode: "subagent",
    description: "tester",
    prompt: "Test.",
    model: "a/b",
    permission: { "*": "deny", external_directory: "ask", doom_loop: "ask", read: "allow", edit: "allow" },
  });
});

test("our tools are reached on loopback, past any proxy", () => {
  const { environment, config } = setUp({ isWithTools: true, user: { NO_PROXY: "corp" } });

  expect(config.mcp.atomic).toMatchObject({ type: "remote", url: "http://127.0.0.1:1/mcp", headers: { a: "b" } });
  expect(environment["NO_PROXY"]).toBe("corp,127.0.0.1");
});
