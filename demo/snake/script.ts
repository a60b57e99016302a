// What the embedded agent does in the demo: it plans a terminal snake game, writes it with three workers at once, gets
// one of them wrong at first, and fixes what its review finds. No model is asked; the files, the tests and their
// failures are real.

const board = `export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Board {
  readonly width: number;
  readonly height: number;
}

export function isInside(board: Board, point: Point): boolean {
  return point.x >= 0 && point.y >= 0 && point.x < board.width && point.y < board.height;
}

/** The board as text: walls around it, one character per cell. */
export function draw(board: Board, cellAt: (point: Point) => string): string {
  const edge = "+" + "-".repeat(board.width) + "+";
  const rows = Array.from({ length: board.height }, (_, y) => {
    const cells = Array.from({ length: board.width }, (__, x) => cellAt({ x, y }));
    return "|" + cells.join("") + "|";
  });
  return [edge, ...rows, edge].join("\\n");
}
`;

const boardTest = `import { expect, test } from "bun:test";
import { draw, isInside } from "./board.ts";

test("points on the edge are inside, points beyond are not", () => {
  const board = { width: 3, height: 2 };
  expect(isInside(board, { x: 2, y: 1 })).toBe(true);
  expect(isInside(board, { x: 3, y: 1 })).toBe(false);
  expect(isInside(board, { x: 0, y: -1 })).toBe(false);
});

test("the board is drawn with walls around it", () => {
  expect(draw({ width: 2, height: 1 }, ({ x }) => (x === 0 ? "@" : " "))).toBe("+--+\\n|@ |\\n+--+");
});
`;

const snake = (grows: string, turnGuard: string): string => `import type { Point } from "./board.ts";

export type Direction = "up" | "down" | "left" | "right";

/** The head comes first. */
export interface Snake {
  readonly body: readonly Point[];
  readonly direction: Direction;
}

const steps: Record<Direction, Point> = {
  up: { x: 0, y: -1 },
  down: { x: 0, y: 1 },
  left: { x: -1, y: 0 },
  right: { x: 1, y: 0 },
};

export function nextHead(snake: Snake): Point {
  const [head] = snake.body;
  if (head === undefined) throw new Error("a snake has a head");
  const step = steps[snake.direction];
  return { x: head.x + step.x, y: head.y + step.y };
}

export function move(snake: Snake, isFed: boolean): Snake {
  const body = [nextHead(snake), ...snake.body];
  ${grows}
  return { ...snake, body };
}

${turnGuard}
`;

const growsWrong = "body.pop();";
const growsRight = "if (!isFed) body.pop();";

const turnsAnyway = `export function turn(snake: Snake, direction: Direction): Snake {
  return { ...snake, direction };
}`;

const turnsSafely = `const opposite: Record<Direction, Direction> = { up: "down", down: "up", left: "right", right: "left" };

/** A snake can't turn on the spot: it would bite its own neck. */
export function turn(snake: Snake, direction: Direction): Snake {
  return direction === opposite[snake.direction] ? snake : { ...snake, direction };
}`;

const snakeTest = `import { expect, test } from "bun:test";
import { move } from "./snake.ts";

const snake = { body: [{ x: 2, y: 0 }, { x: 1, y: 0 }], direction: "right" } as const;

test("a snake moves its head and draws its tail after it", () => {
  expect(move(snake, false).body).toEqual([{ x: 3, y: 0 }, { x: 2, y: 0 }]);
});

test("a snake that was fed keeps its tail and is longer", () => {
  expect(move(snake, true).body).toEqual([{ x: 3, y: 0 }, { x: 2, y: 0 }, { x: 1, y: 0 }]);
});
`;

const turnTest = `import { expect, test } from "bun:test";
import { turn } from "./snake.ts";

const snake = { body: [{ x: 2, y: 0 }, { x: 1, y: 0 }], direction: "right" } as const;

test("a snake turns aside, and never back into itself", () => {
  expect(turn(snake, "up").direction).toBe("up");
  expect(turn(snake, "left").direction).toBe("right");
});
`;

const keys = `import type { Direction } from "./snake.ts";

const keys: Record<string, Direction> = {
  "\\u001b[A": "up",
  "\\u001b[B": "down",
  "\\u001b[C": "right",
  "\\u001b[D": "left",
  w: "up",
  s: "down",
  d: "right",
  a: "left",
};

/** What a key means, for arrow keys and for w, a, s, d; undefined for every other. */
export function directionOf(key: string): Direction | undefined {
  return keys[key];
}
`;

const keysTest = `import { expect, test } from "bun:test";
import { directionOf } from "./keys.ts";

test("arrows and letters steer, other keys do nothing", () => {
  expect(directionOf("\\u001b[A")).toBe("up");
  expect(directionOf("d")).toBe("right");
  expect(directionOf("q")).toBeUndefined();
});
`;

const game = `import { type Board, draw, isInside, type Point } from "./board.ts";
import { move, nextHead, type Snake } from "./snake.ts";

export interface Game {
  readonly board: Board;
  readonly snake: Snake;
  readonly food: Point;
  readonly score: number;
  readonly isOver: boolean;
}

const same = (a: Point, b: Point): boolean => a.x === b.x && a.y === b.y;

/** One tick: the snake moves, eats, or runs into something. */
export function tick(game: Game, newFood: (taken: readonly Point[]) => Point): Game {
  if (game.isOver) return game;
  const head = nextHead(game.snake);
  const bitesItself = game.snake.body.slice(0, -1).some((part) => same(part, head));
  if (!isInside(game.board, head) || bitesItself) return { ...game, isOver: true };
  const isFed = same(head, game.food);
  const snake = move(game.snake, isFed);
  return { ...game, snake, score: game.score + (isFed ? 1 : 0), food: isFed ? newFood(snake.body) : game.food };
}

export function show(game: Game): string {
  const picture = draw(game.board, (point) => {
    const [head, ...tail] = game.snake.body;
    if (head !== undefined && same(head, point)) return "@";
    if (tail.some((part) => same(part, point))) return "o";
    return same(game.food, point) ? "*" : " ";
  });
  return picture + "\\nscore " + game.score;
}
`;

const gameTest = `import { expect, test } from "bun:test";
import { show, tick } from "./game.ts";

const start = {
  board: { width: 5, height: 3 },
  snake: { body: [{ x: 1, y: 1 }, { x: 0, y: 1 }], direction: "right" as const },
  food: { x: 2, y: 1 },
  score: 0,
  isOver: false,
};

test("eating scores, makes the snake longer and puts new food down", () => {
  const fed = tick(start, () => ({ x: 4, y: 0 }));
  expect(fed.score).toBe(1);
  expect(fed.snake.body).toHaveLength(3);
  expect(show(fed)).toBe("+-----+\\n|    *|\\n|oo@  |\\n|     |\\n+-----+\\nscore 1");
});

test("the wall ends the game", () => {
  let game = start;
  for (let i = 0; i < 5; i++) game = tick(game, () => ({ x: 0, y: 0 })) as typeof start;
  expect(game.isOver).toBe(true);
});
`;

const main = `import { show, tick, type Game } from "./game.ts";
import { directionOf } from "./keys.ts";
import { turn } from "./snake.ts";

let game: Game = {
  board: { width: 24, height: 10 },
  snake: { body: [{ x: 3, y: 5 }, { x: 2, y: 5 }], direction: "right" },
  food: { x: 12, y: 5 },
  score: 0,
  isOver: false,
};

const randomFood = (): { x: number; y: number } => ({
  x: Math.floor(Math.random() * game.board.width),
  y: Math.floor(Math.random() * game.board.height),
});

process.stdin.setRawMode?.(true);
process.stdin.on("data", (data) => {
  const key = data.toString();
  if (key === "q" || key === "\\u0003") process.exit(0);
  const direction = directionOf(key);
  if (direction !== undefined) game = { ...game, snake: turn(game.snake, direction) };
});

const timer = setInterval(() => {
  game = tick(game, randomFood);
  process.stdout.write("\\u001b[H\\u001b[2J" + show(game) + "\\nw a s d or arrows, q quits\\n");
  if (!game.isOver) return;
  clearInterval(timer);
  process.exit(0);
}, 150);
`;

const plan = {
  tasks: [
    {
      id: "1",
      title: "The board and how it is drawn",
      description: "src/board.ts: points, what is inside, the picture with walls.",
      verify: "bun test src/board.test.ts",
    },
    {
      id: "2",
      title: "The snake and how it moves",
      description: "src/snake.ts: a body, a direction, moving, growing when fed.",
      verify: "bun test src/snake.test.ts",
    },
    {
      id: "3",
      title: "What the keys mean",
      description: "src/keys.ts: arrows and w, a, s, d as directions.",
      verify: "bun test src/keys.test.ts",
    },
    {
      id: "4",
      title: "The game itself",
      description: "src/game.ts and src/main.ts: a tick, food, score, the end; playable in a terminal.",
      blockedBy: ["1", "2", "3"],
      verify: "bun test",
    },
  ],
};

const finding = {
  verdict: "incorrect",
  findings: [
    {
      title: "The snake can turn back into its own neck",
      body: "turn() takes any direction, so pressing the key opposite to the way it moves ends the game at once. It should ignore that key.",
      priority: "P1",
      file: "src/snake.ts",
    },
  ],
};

const write = (path: string, content: string) => ({ write: { path, content } });
const used = (inputTokens: number, outputTokens: number) => ({
  usage: { inputTokens, outputTokens, costUsd: Math.round(inputTokens * 3 + outputTokens * 15) / 1e6 },
});

export default {
  version: 1,
  turns: [
    {
      agent: "planner",
      steps: [
        { think: "A board, a snake, keys, and a game that joins them." },
        { say: JSON.stringify(plan, null, 2) },
        used(1800, 420),
      ],
    },
    {
      agent: "worker",
      task: "1",
      steps: [
        { waitMs: 300 },
        write("src/board.ts", board),
        write("src/board.test.ts", boardTest),
        { bash: "bun test src/board.test.ts" },
        { say: "The board is drawn and knows its edges." },
        used(2100, 650),
      ],
    },
    {
      agent: "worker",
      task: "2",
      times: 1,
      steps: [
        { waitMs: 200 },
        write("src/snake.ts", snake(growsWrong, turnsAnyway)),
        write("src/snake.test.ts", snakeTest),
        { say: "The snake moves and grows." },
        used(2300, 700),
      ],
    },
    {
      agent: "worker",
      task: "2",
      steps: [
        { think: "The tail goes away even after a meal." },
        write("src/snake.ts", snake(growsRight, turnsAnyway)),
        { bash: "bun test src/snake.test.ts" },
        { say: "A fed snake keeps its tail now." },
        used(2900, 310),
      ],
    },
    {
      agent: "worker",
      task: "3",
      steps: [
        { waitMs: 400 },
        write("src/keys.ts", keys),
        write("src/keys.test.ts", keysTest),
        { bash: "bun test src/keys.test.ts" },
        { say: "Arrows and letters steer." },
        used(1500, 380),
      ],
    },
    {
      agent: "worker",
      task: "4",
      steps: [
        write("src/game.ts", game),
        write("src/game.test.ts", gameTest),
        write("src/main.ts", main),
        { bash: "bun test" },
        { say: "The game can be played with bun src/main.ts." },
        used(3900, 1200),
      ],
    },
    {
      agent: "reviewer",
      times: 1,
      steps: [{ bash: "bun test" }, { say: JSON.stringify(finding, null, 2) }, used(5200, 260)],
    },
    {
      agent: "worker",
      task: "fix-1-1",
      steps: [
        write("src/snake.ts", snake(growsRight, turnsSafely)),
        write("src/turn.test.ts", turnTest),
        { bash: "bun test" },
        { say: "Turning back is ignored now, and tested." },
        used(2600, 420),
      ],
    },
    {
      agent: "reviewer",
      steps: [{ bash: "bun test" }, { say: JSON.stringify({ verdict: "correct", findings: [] }) }, used(5600, 60)],
    },
  ],
};
