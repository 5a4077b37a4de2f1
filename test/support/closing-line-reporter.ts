import type { Reporter, TestModule } from "vitest/node";

/** Closes a run with the plain line `N passed, N failed`, whatever the terminal; .ci/run adds these lines up. */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<unknown>): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    for (const module of modules) {
      // A file that cannot even be collected has no tests to count, and must still fail the run.
      if (module.errors().length > 0) failed += 1;
      for (const test of module.children.allTests()) {
        if (test.result().state === "passed") passed += 1;
        else failed += 1;
      }
    }
    // Last of all: the default reporter writes its own summary in the same hook.
    process.once("exit", () => process.stdout.write(`${passed} passed, ${failed} failed\n`));
  }
}
