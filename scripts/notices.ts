// `npm run notices`: writes THIRD_PARTY_NOTICES.md, the licenses of everything that the tarball and the single file
// contain or install. A test compares the file with what this generates.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { noticesText } from "./notices-text.ts";

writeFileSync(join(import.meta.dir, "../THIRD_PARTY_NOTICES.md"), noticesText());
