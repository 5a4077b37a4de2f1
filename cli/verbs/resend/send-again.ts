import { setTimeout as sleep } from "node:timers/promises";
import { MOST_RESENT, type ResendInput, type ResendResult } from "../../../lib/operator/resend.ts";
import { InterruptedError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { showProgress } from "../../progress.ts";
import type { SurveyOf } from "../../target/emitted.ts";
import type { Target } from "../../target/target.ts";
import { count } from "../../words.ts";
import type { ResentItem } from "./answer.ts";

/** Responses of one survey whose last events are to be sent again. */
export interface Wanted extends SurveyOf {
  responseIds: number[];
}

/** Milliseconds between two attempts on a survey that a poll works on, and how many there are. */
const BUSY_PAUSE = 2_000;
const MOST_BUSY = 15;

/** Sends events again, survey by survey, and says what became of each. What could not be begun is left: trying again sends it. */
export async function sendAgain(target: Target, io: Io, wanted: readonly Wanted[]): Promise<ResentItem[]> {
  const items: ResentItem[] = [];
  const all = wanted.reduce((sum, { responseIds }) => sum + responseIds.length, 0);
  const progress = showProgress(io);
  const tell = (place: string): void => {
    progress.update(`${items.length} of ${count(all, "event")} dealt with${place}`, items.length / Math.max(1, all));
  };
  try {
    for (const { source, surveyId, responseIds } of wanted) {
      for (let i = 0; i < responseIds.length; i += MOST_RESENT) {
        const some = responseIds.slice(i, i + MOST_RESENT);
        await sendSome(target, io, { source, surveyId, responseIds: some }, items, tell);
      }
    }
  } catch (error) {
    progress.end();
    const sent = items.filter(({ outcome }) => outcome === "sent").length;
    if (sent > 0)
      io.say(`${count(sent, "event")} of ${all} had been sent again by then; another run begins with the first one.`);
    throw error;
  } finally {
    progress.end();
  }
  return items;
}

async function sendSome(
  target: Target,
  io: Io,
  { source, surveyId, responseIds }: Wanted,
  items: ResentItem[],
  tell: (place: string) => void,
): Promise<void> {
  let input: ResendInput = { surveyId, responseIds };
  for (let busy = 0; input.responseIds.length > 0; ) {
    if (io.signal.aborted) throw new InterruptedError();
    const result: ResendResult = await target.operate(source, "resend", input);
    items.push(...result.results.map((one) => ({ source, surveyId, ...one })));
    const { left, from, lastPage, stopped } = result;
    tell(
      from === undefined
        ? ""
        : `, page ${from.page}${lastPage === undefined ? "" : ` of ${lastPage}`} of survey ${surveyId}`,
    );
    busy = stopped?.kind === "busy" ? busy + 1 : 0;
    if (stopped?.kind === "paused" || busy > MOST_BUSY) {
      const reason = stopped?.kind === "paused" ? `paused until ${new Date(stopped.until).toISOString()}` : "busy";
      items.push(...left.map((responseId) => leftItem(source, surveyId, responseId, reason)));
      return;
    }
    if (busy > 0) await sleep(BUSY_PAUSE, undefined, { signal: io.signal });
    input = { surveyId, responseIds: left, ...(from === undefined ? {} : { from }) };
  }
}

function leftItem(source: string, surveyId: number, responseId: number, reason: string): ResentItem {
  return { source, surveyId, responseId, eventId: null, revision: null, outcome: "left", reason, update: null };
}
