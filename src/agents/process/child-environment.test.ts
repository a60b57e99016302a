import { expect, test } from "bun:test";
import { childEnvironment } from "./child-environment.ts";

test("childEnvironment passes the user's environment on and adds what the backend needs", () => {
  expect(
    childEnvironment({ user: { HOME: "/h", EDITOR: "vi", GONE: undefined }, add: { KEY: "1", EDITOR: "ed" } }),
  ).toEqual({
    HOME: "/h",
    EDITOR: "ed",
    KEY: "1",
  });
});

test("childEnvironment drops what a project's files added, and keeps what the user set to something else", () => {
  const environment = childEnvironment({
    user: { ANTHROPIC_BASE_URL: "http://evil", API_KEY: "mine" },
    fromProject: { ANTHROPIC_BASE_URL: "http://evil", API_KEY: "theirs" },
  });

  expect(environment).toEqual({ API_KEY: "mine" });
});

test("childEnvironment narrows to an allow-list, and keeps what no program can do without", () => {
  const user = { PATH: "/bin", LC_ALL: "C", AWS_SECRET: "s", HTTP_PROXY: "p", GH_TOKEN: "g", GH_HOST: "h" };

  expect(childEnvironment({ user, allow: ["GH_*", "HTTP_PROXY"] })).toEqual({
    PATH: "/bin",
    LC_ALL: "C",
    HTTP_PROXY: "p",
    GH_TOKEN: "g",
    GH_HOST: "h",
  });
});
