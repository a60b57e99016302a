import { expect, test } from "bun:test";
import { findSecrets } from "./secrets.ts";

const textsOf = (variables: Record<string, string>, names?: string[]): string[] =>
  findSecrets(variables, names).map(({ text }) => text);

test("findSecrets takes variables whose names say that they hold a secret", () => {
  for (const name of [
    ..."API_TOKEN APP_SECRET PGPASSWORD DB_PASS DBPASS dbPass DB_PWD MYSQL_PWD GITHUB_PAT STRIPE_KEY OPENAI_API_KEY".split(
      " ",
    ),
    ..."AWS_SECRET_ACCESS_KEY SSH_PASSPHRASE GOOGLE_CREDENTIALS NPM_AUTH SENTRY_DSN SLACK_WEBHOOK SESSION_COOKIE MY_JWT WIFI_PSK".split(
      " ",
    ),
    ..."STRIPE_KEY_LIVE KEY npm_config__auth clientSecret".split(" "),
  ])
    expect([name, textsOf({ [name]: "hunter2" })]).toEqual([name, ["hunter2"]]);
});

test("findSecrets ignores variables whose names only look like secrets", () => {
  for (const name of [
    ..."PATH PWD OLDPWD HOME GIT_AUTHOR_NAME COMPASS NO_BYPASS KEYBOARD SSH_PUBLIC_KEY CACHE_KEY_PREFIX MONKEY SPATIAL".split(
      " ",
    ),
    ..."GIT_ASKPASS KEYTIMEOUT AUTHOR PATTERN".split(" "),
  ])
    expect([name, textsOf({ [name]: "hunter2-and-more" })]).toEqual([name, []]);
});

test("findSecrets ignores ordinary values: common words, short ones, small numbers, files", () => {
  for (const value of ["", "1", "abc", "true", "postgres", "localhost", "12345", import.meta.path])
    expect([value, textsOf({ DB_PASS: value })]).toEqual([value, []]);
  expect(textsOf({ DB_PASS: "12345678" })).toEqual(["12345678"]);
});

test("findSecrets finds what looks like a secret in any variable", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["postgres://me:s3cr3t@db:5432/x", ["s3cr3t"]],
    ["postgres://me:p%40ss-w0rd@db/x", ["p%40ss-w0rd", "p@ss-w0rd"]],
    ["redis://:only-a-password@cache", ["only-a-password"]],
    ["amqp://a:first-one@h1,amqp://b:second-one@h2", ["first-one", "second-one"]],
    ["http://u:with@sign@proxy:8080", ["with@sign"]],
    ["mysql://u:with/slash@db/x", ["with/slash"]],
    ["https://0123456789abcdef0123@sentry.example/1", ["0123456789abcdef0123"]],
    ["Server=db;User Id=me;Password=conn-string-pw;", ["conn-string-pw"]],
    ["DefaultEndpointsProtocol=https;AccountName=x;AccountKey=YWJjZGVm==;", ["YWJjZGVm=="]],
    ["https://x.example/blob?sv=1&sig=abc%2Fdef123", ["abc%2Fdef123", "abc/def123"]],
    ["Bearer abcdef123456", ["abcdef123456"]],
    ["use ghp_0123456789abcdefghijABCDEFGHIJ012345 here", ["ghp_0123456789abcdefghijABCDEFGHIJ012345"]],
    ["sk_live_0123456789abcdef", ["sk_live_0123456789abcdef"]],
    ['{"type":"service_account","private_key":"line-one-of-the-key\\nline-two-of-the-key"}', ["line-one-of-the-key"]],
    [
      "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----",
      ["MIIEvQIBADANBgkqhkiG9w0BAQEF"],
    ],
  ];
  for (const [value, expected] of cases)
    expect([value, textsOf({ PLAIN: value })]).toEqual([value, expect.arrayContaining([...expected])]);
  for (const value of ["http://example.com:8080/a@b", "user@host:path", "a=b;c=d", "{not json", "[1,2"])
    expect([value, textsOf({ PLAIN: value })]).toEqual([value, []]);
});

test("findSecrets takes the names that a setting adds, whatever their values are", () => {
  expect(textsOf({ FAVOURITE: "xy" }, ["favourite"])).toEqual(["xy"]);
  expect(textsOf({ ACME_ONE: "first value", ACME_TWO: "second", OTHER: "third" }, ["ACME_*"])).toEqual(
    expect.arrayContaining(["first value", "second"]),
  );
  expect(textsOf({ OTHER: "third value" }, ["ACME_*", ""])).toEqual([]);
});

test("findSecrets finds a secret as it is written in JSON and in URLs", () => {
  expect(textsOf({ DB_PASS: 'a"b\\c d/e' })).toEqual(['a"b\\c d/e', 'a\\"b\\\\c d/e', "a%22b%5Cc%20d%2Fe"]);
});
