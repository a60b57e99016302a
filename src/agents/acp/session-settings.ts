// What a session can be set to, as its agent offers it: the models. Newer agents offer them among their configuration
// options, older ones in a separate field; each needs a different call to change it.

import { fieldsIn, listIn, textIn, type Fields } from "../fields.ts";
import type { ModelInfo } from "../port.ts";

export interface SessionSettings {
  readonly models: readonly ModelInfo[];
  readonly currentModel: string | undefined;
  /** The call that changes the model, for a session and a model of the list. */
  readonly modelRequest: (sessionId: string, model: string) => { readonly method: string; readonly params: object };
}

/** `answer` is that to `session/new`, `session/load` or `session/resume`. */
export function readSessionSettings(answer: Fields): SessionSettings {
  const option = listIn(answer, "configOptions").find(
    (candidate) => textIn(candidate, "category") === "model" && textIn(candidate, "type") === "select",
  );
  if (option !== undefined) {
    const configId = textIn(option, "id") ?? "";
    return {
      models: choices(option).map((choice) => modelInfo(choice, "value")),
      currentModel: textIn(option, "currentValue"),
      modelRequest: (sessionId, value) => ({
        method: "session/set_config_option",
        params: { sessionId, configId, value },
      }),
    };
  }
  const legacy = fieldsIn(answer, "models");
  return {
    models: listIn(legacy, "availableModels").map((model) => modelInfo(model, "modelId")),
    currentModel: textIn(legacy, "currentModelId"),
    modelRequest: (sessionId, modelId) => ({ method: "session/set_model", params: { sessionId, modelId } }),
  };
}

/** Options may be in groups. */
function choices(option: Fields): readonly Fields[] {
  return listIn(option, "options").flatMap((choice) =>
    Array.isArray(choice["options"]) ? listIn(choice, "options") : [choice],
  );
}

function modelInfo(fields: Fields, idName: string): ModelInfo {
  const id = textIn(fields, idName) ?? "";
  const description = textIn(fields, "description");
  return { id, name: textIn(fields, "name") ?? id, ...(description !== undefined && { description }) };
}
