/** @jsxImportSource @opentui/react */
// A program of OpenTUI and React that shows one word: what a first frame costs at least.

import { createCliRenderer } from "@opentui/core";
import { createRoot } from "@opentui/react";

const renderer = await createCliRenderer({ exitOnCtrlC: true });
createRoot(renderer).render(<text>screen-is-ready</text>);
