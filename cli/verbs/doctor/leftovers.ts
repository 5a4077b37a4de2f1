import { sweepExpired } from "../../target/temporary-rules.ts";
import { count } from "../../words.ts";
import { allowed, type Check, ok } from "./check.ts";

/** Takes away what a killed `tail` has left on the bus, once its time is over. It is the one thing that doctor changes. */
export const leftovers: Check = ({ target, io }) =>
  allowed("leftovers", "events:ListRules, sqs:ListQueues", async () => {
    const gone = await sweepExpired(target, io.now());
    return gone.length === 0 ? [] : ok("leftovers", `${count(gone.length, "expired rule")} of tail removed`);
  });
