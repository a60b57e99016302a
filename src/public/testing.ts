// `atomic/testing`: what authors and builders of backends test with. It imports no test runner.

export { type FakeClock, fakeClock } from "../testing/fake-clock.ts";
