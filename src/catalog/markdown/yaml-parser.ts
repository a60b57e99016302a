// The YAML parser of the runtime: Bun has one built in; elsewhere the package `yaml` is loaded before files are read.
// yaml.ts decides what a file may hold.

type ParseText = (source: string) => unknown;

let loaded: ParseText | undefined = typeof Bun === "undefined" ? undefined : (source) => Bun.YAML.parse(source);

/** Await it before the first file is read. Does nothing under Bun. */
export async function loadYamlParser(): Promise<void> {
  loaded ??= await portableYamlParser();
}

export async function portableYamlParser(): Promise<ParseText> {
  const { parse } = await import("yaml");
  // As Bun's parser reads them: the last of two equal keys counts, and `<<` merges.
  return (source): unknown => parse(source, { uniqueKeys: false, merge: true, logLevel: "error" });
}

/** Throws when the text is not YAML. */
export function parseYamlText(source: string): unknown {
  if (loaded === undefined) throw new Error("the YAML parser was not loaded before a file was read");
  return loaded(source);
}
