// The options of a script. `--help` prints the comment at the top of its file; an option that it does not have is
// refused with the same text.

import { readFileSync } from "node:fs";
import { parseArgs, type ParseArgsConfig } from "node:util";

type Options = NonNullable<ParseArgsConfig["options"]>;
type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>["values"];

/** `file`: the script's `import.meta.path`. */
export function scriptOptions<const O extends Options>(file: string, options: O): Values<O> {
  if (process.argv.slice(2).some((word) => word === "--help" || word === "-h")) {
    console.log(headerOf(file));
    process.exit(0);
  }
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    if (!(error instanceof TypeError) || !String(Reflect.get(error, "code")).startsWith("ERR_PARSE_ARGS_")) throw error;
    console.error(`${error.message}\n\n${headerOf(file)}`);
    process.exit(2);
  }
}

function headerOf(file: string): string {
  const lines = readFileSync(file, "utf8").split("\n");
  const end = lines.findIndex((line) => !line.startsWith("//"));
  return lines
    .slice(0, end)
    .map((line) => line.replace(/^\/\/ ?/, ""))
    .join("\n");
}
