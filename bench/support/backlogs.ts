import type { Ports } from "../../lib/polling/ports.ts";
import { type BacklogRequest, workOffBacklogs } from "../../lib/polling/tick/backlogs.ts";
import type { BacklogRound } from "../../lib/polling/tick/tick-summary.ts";

/** Works off all backlogs, one round after the other: no tick is waited for between two of them. */
export async function workOffAll(request: Omit<BacklogRequest, "isStopped"> & { ports: Ports }): Promise<void> {
  for (let goesOn = true; goesOn; ) {
    let round: BacklogRound | undefined;
    await workOffBacklogs({ ...request, isStopped: () => round !== undefined }, async (work) => {
      round = await work(request.ports);
      return round;
    });
    const failed = (round as BacklogRound | undefined)?.slices.find(({ failure }) => failure !== undefined);
    if (failed !== undefined) throw new Error(`survey ${failed.surveyId} failed: ${failed.failure?.message}`);
    goesOn = (round as BacklogRound | undefined)?.goesOn === true;
  }
}
