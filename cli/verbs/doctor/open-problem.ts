import { readStatus } from "../status/read.ts";
import { allowed, type Check, fail, ok, warn } from "./check.ts";

/** The verdict of `status`: what is open there is open here. */
export const openProblem: Check = ({ target, sources, io }) =>
  allowed("status", "dynamodb:GetItem and dynamodb:Query", async () => {
    const polled = sources.filter(({ enabled }) => enabled);
    const { verdict, sentence, next } = await readStatus(target, polled, io.now());
    if (verdict === "complete" || verdict === "working" || polled.length === 0) return ok("status", sentence);
    const isAnother = next !== null && !next.startsWith("survey-poller doctor");
    const todo = isAnother ? `Run: ${next}` : "The other checks say more.";
    return verdict === "late" || verdict === "unknown"
      ? warn("status", sentence, todo)
      : fail("status", sentence, todo, "UNACCOUNTED");
  });
