import { describe, expect, it } from "vitest";
import { type Check, CheckFailedError, NotShownError } from "../../smoke/run/check.ts";
import { only, type RunOptions, runChecks } from "../../smoke/run/runner.ts";

type Context = { done: string[] };

const DEFAULTS = { needs: [], after: [], deadline: 60_000 } satisfies Partial<Check<Context>>;

/** Notes that it was made, and shows its own name, unless it is given something else to do. */
function check(name: string, given: Partial<Check<Context>> = {}): Check<Context> {
  return {
    ...DEFAULTS,
    name,
    async run({ done }) {
      done.push(name);
      return `${name} was shown`;
    },
    ...given,
  };
}

async function run(checks: Check<Context>[], given: Partial<RunOptions<Context>> = {}) {
  const context: Context = { done: [] };
  const lines: string[] = [];
  const totals = await runChecks({
    checks,
    context,
    lacks: () => undefined,
    signal: new AbortController().signal,
    every: 1,
    print: (line) => lines.push(line),
    ...given,
  });
  return { totals, lines, done: context.done };
}

const fails = (message: string, todo: string) => ({
  async run(): Promise<string> {
    throw new CheckFailedError(message, todo);
  },
});

describe("runChecks", () => {
  it("makes a check after those it builds on, and prints what each has shown", async () => {
    const slow = check("first", {
      async run({ done }) {
        await Promise.resolve();
        done.push("first");
        return "slowly";
      },
    });
    const { totals, lines, done } = await run([slow, check("second", { after: ["first"] })]);
    expect(done).toEqual(["first", "second"]);
    expect(lines).toEqual(["first: ok: slowly (0 s)", "second: ok: second was shown (0 s)"]);
    expect(totals).toEqual({ passed: 2, failed: 0, skipped: 0 });
  });

  it("makes those side by side that need nothing of one another", async () => {
    const met = Promise.withResolvers<string>();
    const waits = check("waits", { run: () => met.promise });
    const meets = check("meets", {
      async run() {
        met.resolve("met");
        return "here";
      },
    });
    expect((await run([waits, meets])).lines.sort()).toEqual(["meets: ok: here (0 s)", "waits: ok: met (0 s)"]);
  });

  it("says of a failure what to do, in one line, and makes the others", async () => {
    const { totals, lines } = await run([check("bad", fails("the stack\n  is gone", "deploy it")), check("good")]);
    expect(lines).toContain("bad: FAILED: the stack | is gone. What to do: deploy it (0 s)");
    expect(totals).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  it("names what an unexpected failure was", async () => {
    const broken = check("broken", {
      async run() {
        throw new TypeError("no such thing");
      },
    });
    expect((await run([broken])).lines).toEqual(["broken: FAILED: TypeError: no such thing (0 s)"]);
  });

  it("never makes what builds on a failed or skipped one", async () => {
    const { totals, lines, done } = await run([
      check("bad", fails("no", "yes")),
      check("next", { after: ["bad"] }),
      check("last", { after: ["next"] }),
    ]);
    expect(done).toEqual([]);
    expect(lines.slice(1)).toEqual(["next: skipped: bad is not ok", "last: skipped: next is not ok"]);
    expect(totals).toEqual({ passed: 0, failed: 1, skipped: 2 });
  });

  it("waits for what only has to be over, however it ended", async () => {
    const { lines } = await run([check("bad", fails("no", "yes")), check("after", { waitsFor: ["bad"] })]);
    expect(lines.map((line) => line.split(":")[0])).toEqual(["bad", "after"]);
    expect(lines[1]).toContain("ok");
  });

  it("skips what cannot be had here, and what turns out not to be seen here", async () => {
    const hidden = check("hidden", {
      async run() {
        throw new NotShownError("nobody looks");
      },
    });
    const { totals, lines, done } = await run([check("real", { needs: ["bus log"] }), hidden], {
      lacks: (need) => (need === "bus log" ? "there is none" : undefined),
    });
    expect(lines).toEqual(["real: skipped: there is none", "hidden: skipped: nobody looks"]);
    expect(done).toEqual([]);
    expect(totals).toEqual({ passed: 0, failed: 0, skipped: 2 });
  });

  it("fails a check at its deadline, and says what it was waiting for", async () => {
    let states = "";
    const late = check("late", {
      deadline: 20,
      run: (_, { until }) =>
        until<string>(
          () => `that all is well: ${states}`,
          async () => {
            states = "A is bad";
            return undefined;
          },
        ),
    });
    const { totals, lines } = await run([late]);
    expect(lines).toEqual(["late: FAILED: not within 0.02 s: that all is well: A is bad (0 s)"]);
    expect(totals.failed).toBe(1);
  });

  it("fails at its deadline what never looks at the clock, and tells it to stop", async () => {
    let told = false;
    const deaf = check("deaf", {
      deadline: 5,
      run: (_, { signal }) => {
        signal.addEventListener("abort", () => {
          told = true;
        });
        return new Promise(() => {});
      },
    });
    expect((await run([deaf])).lines).toEqual(["deaf: FAILED: not within 0.005 s: its end (0 s)"]);
    expect(told).toBe(true);
  });

  it("gives what it has awaited", async () => {
    let looks = 0;
    const patient = check("patient", {
      run: (_, { until }) => until("three looks", async () => (++looks === 3 ? `${looks} looks` : undefined)),
    });
    expect((await run([patient])).lines).toEqual(["patient: ok: 3 looks (0 s)"]);
  });

  it("ends what is under way when it is interrupted, and begins nothing", async () => {
    const interrupt = new AbortController();
    const under = check("under", {
      run: (_, { until }) => {
        interrupt.abort(new Error("interrupted"));
        return until<string>("nothing", async () => undefined);
      },
    });
    const { totals, lines, done } = await run([under, check("next", { waitsFor: ["under"] })], {
      signal: interrupt.signal,
    });
    expect(lines).toEqual(["under: skipped: interrupted", "next: skipped: interrupted"]);
    expect(done).toEqual([]);
    expect(totals).toEqual({ passed: 0, failed: 0, skipped: 2 });
  });
});

describe("only", () => {
  const checks = [check("a"), check("b", { after: ["a"] }), check("c"), check("d", { after: ["b"], waitsFor: ["c"] })];

  it("takes a check with all that it cannot be made without, in their order", () => {
    expect(only(checks, "d").map(({ name }) => name)).toEqual(["a", "b", "d"]);
  });

  it("names the checks that there are when there is none of that name", () => {
    expect(() => only(checks, "e")).toThrow('there is no check "e", only a, b, c, d');
  });
});
