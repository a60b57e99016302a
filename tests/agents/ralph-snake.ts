// The program that ralph builds in these suites: a snake game, in Rust where cargo is, in TypeScript otherwise. The
// files are what the model says; whether they are any good is decided by the checks, which really compile and run them.

import { dirname, join } from "node:path";

export interface SnakeFile {
  readonly path: string;
  readonly content: string;
}

export interface SnakeKit {
  readonly language: "rust" | "typescript";
  /** Folders for PATH that hold what the checks need. */
  readonly path: readonly string[];
  /** The game without a screen, and its tests; with a mistake that the tests find. */
  readonly rules: readonly SnakeFile[];
  /** What the tests print about it. */
  readonly symptom: string;
  /** A command that fixes the mistake. */
  readonly fix: string;
  /** The game in a terminal. */
  readonly terminal: SnakeFile;
  /** Runs the tests of the rules. */
  readonly testCommand: string;
  /** Plays: three steps, and out. */
  readonly playCommand: string;
}

export function createSnakeKit(): SnakeKit {
  const toolchain = rustToolchain();
  return toolchain === undefined ? typescriptKit : { ...rustKit, path: [toolchain] };
}

/** The folder of the real cargo and rustc: rustup's stand-ins would look for their settings in a user's home. */
function rustToolchain(): string | undefined {
  const path = process.env["PATH"] ?? "";
  const found = Bun.which("rustc", { PATH: path });
  if (found === null) return undefined;
  // Where they look by default: beside the folder that holds them.
  const settings = join(dirname(found), "../../.rustup");
  const env = { PATH: path, RUSTUP_HOME: settings, RUSTUP_AUTO_INSTALL: "0" };
  const asked = Bun.spawnSync(["rustc", "--print", "sysroot"], { env, stderr: "ignore" });
  const folder = join(asked.stdout.toString().trim(), "bin");
  return asked.exitCode === 0 && Bun.which("cargo", { PATH: folder }) !== null ? folder : undefined;
}

const rustRules = `use std::collections::VecDeque;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    Up,
    Down,
    Left,
    Right,
}

impl Direction {
    fn step(self) -> (i32, i32) {
        match self {
            Direction::Up => (0, -1),
            Direction::Down => (0, 1),
            Direction::Left => (-1, 0),
            Direction::Right => (1, 0),
        }
    }
}

/// The head of the snake comes first.
pub struct Game {
    pub width: i32,
    pub height: i32,
    pub body: VecDeque<(i32, i32)>,
    pub food: (i32, i32),
    pub is_over: bool,
    direction: Direction,
}

impl Game {
    pub fn new(width: i32, height: i32) -> Game {
        let middle = (width / 2, height / 2);
        Game {
            width,
            height,
            body: VecDeque::from([middle]),
            food: (middle.0 + 1, middle.1),
            is_over: false,
            direction: Direction::Right,
        }
    }

    /// A snake can't turn into its own neck.
    pub fn turn(&mut self, to: Direction) {
        let (a, b) = (self.direction.step(), to.step());
        if self.body.len() == 1 || a.0 + b.0 != 0 || a.1 + b.1 != 0 {
            self.direction = to;
        }
    }

    pub fn advance(&mut self) {
        let (x, y) = self.body[0];
        let (dx, dy) = self.direction.step();
        let head = (x + dx, y + dy);
        let is_inside = head.0 >= 0 && head.1 >= 0 && head.0 < self.width && head.1 < self.height;
        if !is_inside || self.body.contains(&head) {
            self.is_over = true;
            return;
        }
        self.body.push_front(head);
        let ate = head == self.food;
        if ate {
            self.food = self.free_cell();
        }
        self.body.pop_back();
    }

    fn free_cell(&self) -> (i32, i32) {
        (0..self.width * self.height)
            .map(|i| (i % self.width, i / self.width))
            .find(|cell| !self.body.contains(cell))
            .unwrap_or((-1, -1))
    }

    pub fn draw(&self) -> String {
        let cell = |x, y| match (x, y) {
            at if at == self.body[0] => '@',
            at if self.body.contains(&at) => 'o',
            at if at == self.food => '*',
            _ => '.',
        };
        (0..self.height)
            .map(|y| (0..self.width).map(|x| cell(x, y)).collect::<String>() + "\\n")
            .collect()
    }
}
`;

const rustTests = `use snake::{Direction, Game};

#[test]
fn it_grows_when_it_eats() {
    let mut game = Game::new(6, 4);
    game.advance();
    assert_eq!(game.body.len(), 2, "the snake has eaten and must be longer");
    assert_ne!(game.food, (4, 2), "the food is somewhere else now");
}

#[test]
fn walls_end_the_game() {
    let mut game = Game::new(6, 4);
    game.turn(Direction::Up);
    for _ in 0..3 {
        game.advance();
    }
    assert!(game.is_over);
}
`;

const rustKit: Omit<SnakeKit, "path"> = {
  language: "rust",
  rules: [
    { path: "Cargo.toml", content: '[package]\nname = "snake"\nversion = "0.1.0"\nedition = "2021"\n' },
    { path: "src/lib.rs", content: rustRules },
    { path: "tests/rules.rs", content: rustTests },
  ],
  symptom: "the snake has eaten and must be longer",
  fix: "sed -i 's/^        self.body.pop_back();/        if !ate { self.body.pop_back(); }/' src/lib.rs",
  terminal: {
    path: "src/main.rs",
    content: `use snake::{Direction, Game};
use std::io::BufRead;

/// One line is one step: w, a, s or d turns first, q leaves.
fn main() {
    let mut game = Game::new(12, 6);
    print!("{}", game.draw());
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        match line.trim() {
            "w" => game.turn(Direction::Up),
            "a" => game.turn(Direction::Left),
            "s" => game.turn(Direction::Down),
            "d" => game.turn(Direction::Right),
            "q" => break,
            _ => {}
        }
        game.advance();
        print!("{}", game.draw());
        if game.is_over {
            break;
        }
    }
    println!("Length: {}", game.body.len());
}
`,
  },
  testCommand: "cargo test --offline --quiet",
  playCommand: "printf 'd\\nd\\nq\\n' | cargo run --offline --quiet | grep -q 'Length: 2'",
};

const bun = `'${process.execPath}'`;

const typescriptKit: SnakeKit = {
  language: "typescript",
  path: [dirname(process.execPath)],
  rules: [
    {
      path: "src/game.ts",
      content: `export type Point = readonly [number, number];
export const directions = { w: [0, -1], a: [-1, 0], s: [0, 1], d: [1, 0] } as const;

/** The head of the snake comes first. */
export class Game {
  body: Point[];
  food: Point;
  isOver = false;
  direction: Point = directions.d;

  constructor(readonly width: number, readonly height: number) {
    const middle: Point = [width >> 1, height >> 1];
    this.body = [middle];
    this.food = [middle[0] + 1, middle[1]];
  }

  advance(): void {
    const [x, y] = this.body[0]!;
    const head: Point = [x + this.direction[0], y + this.direction[1]];
    const isInside = head[0] >= 0 && head[1] >= 0 && head[0] < this.width && head[1] < this.height;
    if (!isInside || this.body.some((at) => isSame(at, head))) {
      this.isOver = true;
      return;
    }
    this.body.unshift(head);
    const ate = isSame(head, this.food);
    if (ate) this.food = [0, 0];
    this.body.pop();
  }
}

function isSame(a: Point, b: Point): boolean {
  return a[0] === b[0] && a[1] === b[1];
}
`,
    },
    {
      path: "src/game.test.ts",
      content: `import { expect, test } from "bun:test";
import { directions, Game } from "./game.ts";

test("it grows when it eats", () => {
  const game = new Game(6, 4);
  game.advance();
  expect(game.body).toHaveLength(2);
});

test("walls end the game", () => {
  const game = new Game(6, 4);
  game.direction = directions.w;
  for (let i = 0; i < 3; i++) game.advance();
  expect(game.isOver).toBe(true);
});
`,
    },
  ],
  symptom: "(fail) it grows when it eats",
  fix: "sed -i 's/^    this.body.pop();/    if (!ate) this.body.pop();/' src/game.ts",
  terminal: {
    path: "src/main.ts",
    content: `import { directions, Game } from "./game.ts";

const game = new Game(12, 6);
for await (const line of console) {
  if (line === "q" || game.isOver) break;
  if (line in directions) game.direction = directions[line as keyof typeof directions];
  game.advance();
}
console.log("Length:", game.body.length);
`,
  },
  testCommand: `${bun} test src`,
  playCommand: `printf 'd\\nd\\nq\\n' | ${bun} src/main.ts | grep -q 'Length: 2'`,
};
