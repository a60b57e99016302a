// Type tests are checked by the compiler, not run: a promise that no longer holds fails `npm run types`.

type IsAny<T> = 0 extends 1 & T ? true : false;
type IsMutual<A, B> = [A, B] extends [B, A] ? true : { expected: B; found: A };

/** True when each can stand for the other, and `any` is on both sides or on none. */
type Same<A, B> = IsAny<A> extends IsAny<B> ? IsMutual<A, B> : { expected: B; found: A };

/** `isSame<A, B>(true)` compiles only when A and B are the same type. */
export function isSame<A, B>(_same: Same<A, B>): void {}
