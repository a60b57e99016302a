// From the application's questions about trust to the port of the dialog.

import type { TrustDesk } from "../app/trust-desk.ts";
import type { TrustAnswer } from "../app/run-project.ts";
import type { TrustChoice, TrustPort } from "./trust/trust-port.ts";

const answers: Readonly<Record<TrustChoice, TrustAnswer>> = { no: false, trust: true, once: "once" };

export function connectTrust(desk: TrustDesk): TrustPort {
  return {
    get waiting() {
      const first = desk.waiting;
      if (first === undefined) return undefined;
      return { subject: first.question, choose: (choice: TrustChoice) => first.answer(answers[choice]) };
    },
    onChange: desk.onChange,
  };
}
