// What workflow authors emit, under a type of its own.

import { defineEvents } from "./define-events.ts";
import { jsonField, textField } from "./field.ts";

export const authorEvents = defineEvents({
  custom: {
    note: "An event of the workflow's author: what a node handed to `ctx.emit`.",
    fields: () => ({
      key: textField(),
      node: textField(),
      name: textField("The name that the author gave it."),
      data: jsonField("The data that was emitted with it."),
    }),
  },
});
