// The version of this program. package.json has the same one, and a test compares them: reading that file would cost
// every start, and the single-file program has none.

export const version = "0.5.0";
