// A failure as events and snapshots store it. Apart from the events: a run that reads a snapshot needs nothing else of
// their definitions.

import { objectField, optionalField, textField } from "./field.ts";

export const errorFields = () => ({
  message: textField(),
  code: optionalField(textField("An error code of docs/errors.md, where there is one.")),
  name: optionalField(textField()),
});

export const errorRecord = () => objectField(errorFields());
