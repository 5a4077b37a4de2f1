import { readSource } from "../../target/state.ts";
import { ago } from "../../words.ts";
import { awaitedBy } from "../status/read.ts";
import { problemOf } from "../status/verdict.ts";
import { allowed, type Check, fail, ok, warn } from "./check.ts";

/** How long ago the last tick of each source came to its end. */
export const lastTick: Check = async ({ target, sources, io }) => {
  const lines = sources.map((source) => {
    const check = sources.length === 1 ? "last tick" : `last tick of ${source.name}`;
    return allowed(check, "dynamodb:GetItem and dynamodb:Query", async () => {
      const { account } = await readSource(target, source.name);
      const [now, at] = [io.now(), account.lastTick];
      if (!source.enabled) return ok(check, `${ago(at, now)}; the source is not enabled`);
      const problem = problemOf(
        {
          source: source.name,
          firstTick: account.firstTick ?? null,
          lastTick: at ?? null,
          listedAt: account.listedAt ?? null,
          pausedUntil: account.pausedUntil ?? null,
          pausedSince: account.pausedSince ?? null,
          outages: [],
          awaits: awaitedBy(account),
        },
        { interval: source.interval, now },
      );
      if (problem === null) return ok(check, ago(at, now));
      if (account.pausedSince !== undefined) return warn(check, problem, `survey-poller resume ${target.flags} --yes`);
      const isPaused = account.pausedUntil !== undefined;
      if (isPaused) return warn(check, problem, "Wait: it goes on by itself.");
      if (target.data === undefined)
        return fail(check, problem, "Look at the schedule above and at the function's log.");
      return target.data.isRunning
        ? fail(check, problem, "Look at what npm start says.")
        : warn(
            check,
            `${ago(at, now)}; no run is at work on the folder`,
            "Start it again: npm start, with the flags that it had.",
          );
    });
  });
  return (await Promise.all(lines)).flat();
};
