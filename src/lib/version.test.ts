import { expect, test } from "bun:test";
import manifest from "../../package.json" with { type: "json" };
import { version } from "./version.ts";

test("the version is that of package.json", () => {
  expect(version).toBe(manifest.version);
});
