// Whether the model that answered is the one that was asked for. People ask for `claude-sonnet-4.5`, the service answers
// as `claude-sonnet-4-5-20250929`, and a model of one's own provider may be asked for as `provider/model`.

export function isSameCopilotModel(asked: string, served: string): boolean {
  const [wanted, answered] = [plain(asked), plain(served)];
  return wanted === "auto" || wanted === answered;
}

function plain(model: string): string {
  return model
    .toLowerCase()
    .replace(/^.*\//, "")
    .replaceAll(".", "-")
    .replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "");
}
