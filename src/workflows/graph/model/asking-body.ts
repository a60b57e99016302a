// Bodies of nodes that do nothing but ask a question and return the answer. A kill can't lose any of their work: their
// start, their question and the end of the run that waits for an answer are stored as one record, and so are the answer
// and what follows from it.

const bodies = new WeakSet<object>();

export function markAsking<F extends (...args: never[]) => unknown>(body: F): F {
  bodies.add(body);
  return body;
}

export function isAskingBody(body: object | undefined): boolean {
  return body !== undefined && bodies.has(body);
}
