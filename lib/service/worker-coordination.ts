import type { AccountState } from "../polling/index.ts";
import type { Shared } from "../state/shared.ts";
import type { Coordination, LearnedRate, SurveyApi } from "../survey-api/index.ts";

/** The part of the client that is told what other workers know. */
type CoordinatedApi = Pick<SurveyApi, "learned" | "learn" | "pauseUntil">;

/** A rate that changed by less is no news. */
const WORTH_SAVING = 0.05;

/** Workers of one source as one client of the service, by way of the table. */
export function createWorkerCoordination(shared: Shared) {
  let writing: Promise<void> = Promise.resolve();
  /** The end of the longest pause that the table did not take. */
  let unwrittenUntil = 0;
  /** Requests a second in the table, as far as this process knows: another version may have written anything there. */
  let inTable: unknown;
  /** For the client, which is made before the table is read. */
  const coordination: Coordination = {
    renew: shared.renewToken,
    onPause({ until }) {
      // Polling goes on without it: the end of the run tries once more.
      const written = shared.pause(until).catch(() => {
        unwrittenUntil = Math.max(unwrittenUntil, until);
      });
      writing = writing.then(() => written);
    },
  };
  return {
    coordination,
    /** Hands on to the client what the account, just read, says of the others. */
    takeOver({ pausedUntil, pausedSince, learned }: Omit<AccountState, "rows">, api: CoordinatedApi): void {
      // A client has no ear for an end that is brought forward, as an operator's may be: the ticks keep that pause.
      if (pausedUntil !== undefined && pausedSince === undefined) api.pauseUntil(pausedUntil);
      inTable = (learned as Partial<LearnedRate> | undefined)?.requestsPerSecond;
      // What this client has learned itself is newer, and its own part where several are at work.
      if (learned !== undefined && api.learned() === undefined) api.learn(learned as LearnedRate);
    },
    /** At the end of a run: what was told is in the table, and what was learned. Never rejects: what fails is only shared later. */
    async settle(api: CoordinatedApi): Promise<void> {
      await writing;
      if (unwrittenUntil > 0) await shared.pause(unwrittenUntil).catch(() => undefined);
      unwrittenUntil = 0;
      const learned = api.learned();
      if (learned === undefined) return;
      const rate = learned.requestsPerSecond;
      if (typeof inTable === "number" && Math.abs(rate - inTable) < inTable * WORTH_SAVING) return;
      await shared.saveLearned(learned).then(
        () => {
          inTable = rate;
        },
        () => undefined,
      );
    },
  };
}
