import { setTimeout as sleep } from "node:timers/promises";
import type { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { InterruptedError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { showProgress } from "../../progress.ts";
import type { ReplayState } from "./answer.ts";
import { describeReplay, hasEnded } from "./archive.ts";

/** Milliseconds between two looks. */
const LOOK_EVERY = 5_000;

/** Looks at a replay until it has ended. Ctrl-C ends the looking alone. */
export async function watchReplay(
  client: Pick<EventBridgeClient, "send">,
  name: string,
  { flags, io, every = LOOK_EVERY }: { flags: string; io: Io; every?: number },
): Promise<ReplayState> {
  const progress = showProgress(io);
  try {
    for (;;) {
      const replay = await describeReplay(client, name);
      if (hasEnded(replay)) return replay;
      const { from, to, lastReplayed, state } = replay;
      const part = lastReplayed === null ? 0 : (lastReplayed - from) / Math.max(1, to - from);
      const at = lastReplayed === null ? "" : `, up to ${new Date(lastReplayed).toISOString()}`;
      progress.update(`${state?.toLowerCase() ?? "starting"}${at}`, part);
      await sleep(every, undefined, { signal: io.signal });
    }
  } catch (error) {
    if (!io.signal.aborted) throw error;
    progress.end();
    io.say(`The replay ${name} goes on. To end it: survey-poller replay --cancel ${name} ${flags}`);
    throw new InterruptedError();
  } finally {
    progress.end();
  }
}
