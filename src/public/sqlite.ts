// `atomic/workflows/sqlite`: the SQLite journal, apart because it needs Bun or Node 22.5.

export {};
