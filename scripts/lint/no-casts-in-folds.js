// house/no-casts-in-folds: a file that distinguishes events of a run takes them from the union `RunEvent`. A cast in
// there would hide a field that an old, a newer or a forged record does not have. `as const` is not a cast.

export const noCastsInFolds = {
  meta: { type: "problem" },
  create(context) {
    const casts = [];
    let hasUnion = false;
    let hasSwitch = false;
    return {
      ImportDeclaration(node) {
        if (!/\/events\/(run|engine|reported)-events?\.ts$/.test(String(node.source.value))) return;
        hasUnion ||= node.specifiers.some((each) => /^RunEvent(Of)?$/.test(each.imported?.name ?? ""));
      },
      SwitchStatement({ discriminant }) {
        hasSwitch ||= discriminant.type === "MemberExpression" && discriminant.property.name === "type";
      },
      TSAsExpression(node) {
        const { typeAnnotation } = node;
        const isConst = typeAnnotation.type === "TSTypeReference" && typeAnnotation.typeName.name === "const";
        if (!isConst) casts.push(node);
      },
      TSTypeAssertion: (node) => void casts.push(node),
      TSNonNullExpression: (node) => void casts.push(node),
      "Program:exit"() {
        if (!hasUnion || !hasSwitch) return;
        for (const node of casts)
          context.report({
            node,
            message: "A fold of events needs no cast. Narrow by `type`, or read the field with a check.",
          });
      },
    };
  },
};
