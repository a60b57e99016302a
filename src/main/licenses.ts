// `atomic --licenses`: the notices of the software that this program contains. The single file has no other place to
// keep them.

import notices from "../../THIRD_PARTY_NOTICES.md" with { type: "text" };

export const licenses: string = notices.trimEnd();
