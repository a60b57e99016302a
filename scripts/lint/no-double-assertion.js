// house/no-double-assertion: `x as unknown as T` switches the compiler off. Parse the value, or narrow it.

export const noDoubleAssertion = {
  meta: { type: "problem" },
  create(context) {
    return {
      TSAsExpression(node) {
        const inner = node.expression;
        if (inner.type !== "TSAsExpression" || inner.typeAnnotation.type !== "TSUnknownKeyword") return;
        context.report({ node, message: "`as unknown as` hides a type error. Parse the value, or narrow it." });
      },
    };
  },
};
