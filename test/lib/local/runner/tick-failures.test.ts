import { describe, expect, test } from "vitest";
import { runTicks } from "../../../../lib/local/runner/tick-loop.ts";
import type { BlockedSource } from "../../../../lib/run/poll-sources.ts";

const tick = { ticks: [{ source: "main", listed: 0, surveys: [], unpolled: 0, behind: 0, outages: [] }] };
const coded = (code: string): Error => Object.assign(new Error(`it failed by ${code}`), { code, hint: "" });

/** Runs one tick for each outcome, and stops with the last. Gives how many were made, and what was said. Each reads `pages` so many before it ends. */
async function run(
  outcomes: readonly (Error | BlockedSource | "well")[],
  pages = 0,
): Promise<{ made: number; said: string[]; failure: unknown }> {
  const stop = new AbortController();
  const said: string[] = [];
  const totals = { pages: 0, emitted: 0, waiting: 0, withheld: 0 };
  let made = 0;
  const failure = await runTicks({
    invoke: async () => {
      const outcome = outcomes[made];
      made += 1;
      totals.pages += pages;
      if (made === outcomes.length) stop.abort();
      if (outcome instanceof Error) throw outcome;
      return outcome === "well" || outcome === undefined ? tick : { ticks: [], blocked: [outcome] };
    },
    ticks: undefined,
    interval: 0,
    stop: stop.signal,
    view: {
      totals,
      say: (line) => void said.push(line),
    },
  }).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { made, said, failure };
}

describe("a tick that fails", () => {
  test.each(["DYNAMODB_FAILED", "S3_FAILED", "SECRETS_MANAGER_FAILED", "TOO_MANY_REQUESTS"])(
    "by %s is told and followed by the next, also when it is the first",
    async (code) => {
      const line = `tick failed: it failed by ${code}; tried again at the next tick`;
      const ran = await run([coded(code), coded(code), "well"]);
      expect(ran).toEqual({ made: 3, failure: undefined, said: [line, line] });
    },
  );

  test.each(["UNREACHABLE", "SERVER_ERROR", "WRONG_TOKEN"])(
    "by %s ends the command when it is the first, and not once the service was reached",
    async (code) => {
      expect(await run([coded(code), "well"])).toMatchObject({ made: 1, failure: { code } });
      expect(await run(["well", coded(code), "well"])).toMatchObject({ made: 3, failure: undefined });
    },
  );

  test("by SERVER_ERROR after its first pages is followed by the next: a backlog keeps the first tick at work for long", async () => {
    const said = ["tick failed: it failed by SERVER_ERROR; tried again at the next tick"];
    expect(await run([coded("SERVER_ERROR"), "well"], 5)).toEqual({ made: 2, failure: undefined, said });
  });

  test.each(["WRONG_CREDENTIALS", "CREDENTIALS_MISSING", "STATE_REFUSED"])(
    "by %s ends the command whenever it comes",
    async (code) => {
      expect(await run(["well", coded(code), "well"])).toMatchObject({ made: 2, failure: { code } });
    },
  );
});

describe("a source without credentials that work", () => {
  const blocked = (kind: BlockedSource["kind"], code: string): BlockedSource => ({
    source: "main",
    kind,
    code,
    message: `they are ${kind}`,
    hint: "See to them.",
  });

  test.each([
    blocked("missing", "CREDENTIALS_MISSING"),
    blocked("unreadable", "CREDENTIALS_UNREADABLE"),
    blocked("rejected", "WRONG_CREDENTIALS"),
  ])("that are $kind ends the command with what is to be done", async (problem) => {
    const { code, message, hint } = problem;
    expect(await run(["well", problem, "well"])).toMatchObject({ made: 2, failure: { code, message, hint } });
  });

  test("whose new tokens are refused ends it when the service was never reached, and is tried again else", async () => {
    const problem = blocked("rejected", "WRONG_TOKEN");
    expect(await run([problem, "well"])).toMatchObject({ made: 1, failure: { code: "WRONG_TOKEN" } });
    expect(await run(["well", problem, "well"])).toMatchObject({ made: 3, failure: undefined });
  });
});
