import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { cliDocument, cliDocumentPath, settingsSchemaPath } from "../scripts/cli-document.ts";
import { settingsSchema } from "../src/settings/settings-schema.ts";

test("docs/cli.md is what the commands say", async () => {
  // Written by `npm run docs`.
  expect(readFileSync(cliDocumentPath, "utf8")).toBe(await cliDocument());
});

test("docs/settings.schema.json is what `atomic config schema` prints", () => {
  expect(JSON.parse(readFileSync(settingsSchemaPath, "utf8"))).toEqual(settingsSchema());
});
