import * as z from "zod";
import { oneOf, section } from "../config/fields.ts";
import { isDateString } from "../events/build/date-string.ts";
import { type DateRange, newFullRead, openTo, placeOf, type Survey, toPage } from "../polling/index.ts";
import { makeDue, onSurvey, operation, readySource } from "./operation.ts";

const date = z.string().refine(isDateString, { error: 'must be a date such as "2026-03-10 12:00:00"' });
export const dateRange = section({ from: date, to: date });
export interface BackfillResult {
  /**
   * Started, or under way already. Other: one of another range is. Nothing: nothing of that range is history. Stopped: nothing more goes out. None:
   * there is none to stop. Behind: the survey is being caught up. Busy: someone else has it.
   */
  outcome: "started" | "under way" | "other" | "nothing" | "stopped" | "none" | "behind" | "busy";
  range?: DateRange;
}

/** Responses at the head that tell the ticks where the backfill begins. */
const REMEMBERED = 20;

/**
 * A backfill is a backlog that takes more for new. It is worked off beside the ticks like any other, and ends with the list. When it is
 * stopped it reads on to the end of the list all the same: arrivals meanwhile may have been left to it.
 */
export const backfill = operation({
  input: section({ surveyId: z.int().positive(), mode: oneOf("start", "stop"), range: dateRange.optional() }),
  async run(context, { surveyId, mode, range }): Promise<BackfillResult> {
    const { ports } = context;
    const account = await readySource(context, surveyId);
    const result = await onSurvey(context, { surveyId, account }, (survey) =>
      mode === "stop" || range === undefined ? Promise.resolve(stop(survey)) : start(survey, range),
    );
    if (result?.outcome === "started") await makeDue(ports, [surveyId], { isBehind: true, fullAt: ports.clock.now() });
    return result ?? { outcome: "busy" };
  },
});

function stop(survey: Survey): BackfillResult {
  const place = placeOf(survey.state);
  if (place?.backfill === undefined) return { outcome: "none" };
  const { backfill: range, ...read } = place;
  survey.note({ kind: "reading", purpose: "backlog", read });
  return { outcome: "stopped", range };
}

async function start(survey: Survey, { from, to }: DateRange): Promise<BackfillResult> {
  const { state, ports } = survey;
  const { at: startAt } = survey.start;
  const known = placeOf(state)?.backfill;
  const isBehind = placeOf(state) !== undefined || openTo(state) !== undefined;
  if (state.phase.kind === "new" || (isBehind && known === undefined)) return { outcome: "behind" };
  if (startAt === null) return { outcome: "nothing" };
  // After the start nothing is missing, and nothing is to say that it was put back.
  const range = { from, to: to < startAt ? to : startAt };
  if (known !== undefined) {
    const isSame = known.from === range.from && known.to === range.to;
    return { outcome: isSame ? "under way" : "other", range: known };
  }
  if (range.from > range.to) return { outcome: "nothing" };
  const head = await knownAtHead(survey);
  const more = { backfill: range, ...(head.length === 0 ? {} : { head }) };
  survey.note({ kind: "reading", purpose: "backlog", read: newFullRead(ports.clock.now(), more) });
  // The books are of before: a full read follows.
  survey.note({ kind: "full read due", at: ports.clock.now() });
  return { outcome: "started", range };
}

/** The settled responses that page 1 shows: anything above them does not wait for the backfill. */
async function knownAtHead({ id: surveyId, ports }: Survey): Promise<number[]> {
  const runs = toPage(1, await ports.service.page(surveyId, 1, "desc"))?.runs ?? [];
  const ids = [...new Set(runs.map(({ responseId }) => responseId))].slice(0, 100);
  const entries = await ports.state.entries(surveyId, ids);
  return ids.filter((id) => entries.has(id)).slice(0, REMEMBERED);
}
