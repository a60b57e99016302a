// A number of things with the right plural: `1 task`, `3 tasks`.

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
