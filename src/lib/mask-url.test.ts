import { expect, test } from "bun:test";
import { maskUrl } from "./mask-url.ts";

test.each([
  ["postgres://user:s3cret@db:5432/atomic", "postgres://user:***@db:5432/atomic"],
  ["postgres://user:a@b/c@db/atomic", "postgres://user:***@db/atomic"],
  ["postgres://:s3cret@db/atomic", "postgres://:***@db/atomic"],
  ["postgres://db/atomic?user=u&password=s3cret&x=1", "postgres://db/atomic?user=u&password=***&x=1"],
  ["postgres://user@db:5432/atomic", "postgres://user@db:5432/atomic"],
])("maskUrl shows %p without its password", (url, shown) => {
  expect(maskUrl(url)).toBe(shown);
});
