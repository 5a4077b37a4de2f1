import type { ToldFailure } from "../../errors.ts";
import type { PollContext } from "../context.ts";
import { endsWork, failureOf } from "../errors.ts";
import { placeOf } from "../model/phase.ts";
import { noCounts, withheldOf } from "../model/poll-counts.ts";
import { catchUp } from "../routes/catch-up.ts";
import { readDecided } from "./read-decided.ts";
import { tellSubscribers } from "./tell-subscribers.ts";
import { type SurveyRequest, withSurvey } from "./with-survey.ts";

export interface SliceSummary {
  surveyId: number;
  /** Goes on: there is more to do, at once. Stuck: there is more, but something has failed, or it came no further. Busy: someone else has the survey. */
  outcome: "done" | "goes on" | "stuck" | "busy";
  emitted: number;
  waiting: number;
  /** New responses and records that were quarantined, refused by the bus or held. */
  withheld: number;
  /** The failure of all of it, or of some responses, which are left to a later slice. */
  failure?: ToldFailure;
}

/**
 * One slice of a survey's catch-up, until `streamUntil`. Throws what concerns the whole source, or ends the invocation. Any other failure is told, and left to a
 * later slice.
 */
export async function catchUpSlice(
  request: SurveyRequest,
): Promise<SliceSummary & Partial<Pick<PollContext, "shortPageEnds">>> {
  const { surveyId, ports, deadline } = request;
  const cameTo = (outcome: SliceSummary["outcome"], counts = noCounts(), error?: unknown): SliceSummary => {
    const { emitted, waiting } = counts;
    const summary: SliceSummary = { surveyId, outcome, emitted, waiting, withheld: withheldOf(counts) };
    if (error === undefined) return summary;
    const failure = failureOf(error);
    ports.observe({ kind: "survey failed", surveyId, ...failure });
    return { ...summary, failure };
  };
  try {
    const done = await withSurvey(request, async (ctx) => {
      const { mark } = ctx;
      const place = placeOf(mark);
      if (place === undefined) return cameTo("done");
      if (ports.clock.now() >= deadline) return cameTo("stuck");
      const counts = await readDecided(ctx, async () => {
        const next = placeOf(mark);
        return next === undefined ? noCounts() : catchUp(ctx, next);
      });
      await tellSubscribers(ctx);
      const { page } = placeOf(mark) ?? {};
      // A failure is not tried again at once.
      const isFurther = (page !== place.page || counts.emitted + counts.waiting > 0) && ctx.failure === undefined;
      const outcome = page === undefined ? "done" : isFurther ? "goes on" : "stuck";
      return { ...cameTo(outcome, counts, ctx.failure), shortPageEnds: ctx.shortPageEnds };
    });
    return done ?? cameTo("busy");
  } catch (error) {
    if (endsWork(error)) throw error;
    return cameTo("stuck", noCounts(), error);
  }
}
