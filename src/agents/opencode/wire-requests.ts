// What OpenCode asks for during a turn, and the providers it knows, narrowed to what this backend reads.

import { fieldsOf } from "../fields.ts";
import { listOf, numberOf, textOf } from "./fields.ts";

export interface OpencodeQuestion {
  readonly id: string;
  readonly sessionID: string;
  readonly questions: readonly QuestionInfo[];
}

interface QuestionInfo {
  readonly question: string;
  readonly header: string | undefined;
  readonly options: readonly { readonly label: string; readonly description: string | undefined }[];
  readonly isMultiple: boolean;
  /** Free text is accepted as well as the options. */
  readonly isCustom: boolean;
}

export interface Permission {
  readonly id: string;
  readonly sessionID: string;
}

export interface Provider {
  readonly id: string;
  readonly name: string;
  readonly models: ReadonlyMap<string, ProviderModel>;
}

export interface ProviderModel {
  readonly id: string;
  readonly name: string;
  /** Absent when OpenCode does not know it. */
  readonly contextTokens: number | undefined;
}

export function parseQuestion(value: unknown): OpencodeQuestion | undefined {
  const request = parsePermission(value);
  const questions = listOf(fieldsOf(value)?.["questions"], parseQuestionInfo);
  return request === undefined || questions === undefined ? undefined : { ...request, questions };
}

function parseQuestionInfo(value: unknown): QuestionInfo | undefined {
  const info = fieldsOf(value);
  const question = textOf(info?.["question"]);
  const options = listOf(info?.["options"], (item) => {
    const option = fieldsOf(item);
    const label = textOf(option?.["label"]);
    return label === undefined ? undefined : { label, description: textOf(option?.["description"]) };
  });
  if (info === undefined || question === undefined || options === undefined) return undefined;
  return {
    question,
    header: textOf(info["header"]),
    options,
    isMultiple: info["multiple"] === true,
    isCustom: info["custom"] !== false,
  };
}

export function parsePermission(value: unknown): Permission | undefined {
  const request = fieldsOf(value);
  const [id, sessionID] = [textOf(request?.["id"]), textOf(request?.["sessionID"])];
  return id === undefined || sessionID === undefined ? undefined : { id, sessionID };
}

export function parseProviders(value: unknown): readonly Provider[] | undefined {
  return listOf(fieldsOf(value)?.["providers"], (item) => {
    const provider = fieldsOf(item);
    const [id, name] = [textOf(provider?.["id"]), textOf(provider?.["name"])];
    if (id === undefined) return undefined;
    const models = Object.values(fieldsOf(provider?.["models"]) ?? {}).map(parseProviderModel);
    return {
      id,
      name: name ?? id,
      models: new Map(models.filter((model) => model !== undefined).map((model) => [model.id, model])),
    };
  });
}

/** OpenCode reports 0 tokens for an unknown size. */
function parseProviderModel(value: unknown): ProviderModel | undefined {
  const model = fieldsOf(value);
  const id = textOf(model?.["id"]);
  if (id === undefined) return undefined;
  const context = numberOf(fieldsOf(model?.["limit"])?.["context"]) ?? 0;
  return { id, name: textOf(model?.["name"]) ?? id, contextTokens: context > 0 ? context : undefined };
}
