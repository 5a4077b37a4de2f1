import type { ToldFailure } from "../../errors.ts";
import { endsWork, failureOf } from "../errors.ts";
import { noCounts, withheldOf } from "../model/poll-counts.ts";
import { pollSurvey } from "./poll-survey.ts";
import type { SurveyRequest } from "./with-survey.ts";

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
 * One turn of a survey's backlog, until `streamUntil`. Throws what concerns the whole source, or ends the invocation. Any other failure is told, and left to a
 * later turn.
 */
export async function catchUpSlice(request: SurveyRequest): Promise<SliceSummary> {
  const { surveyId, ports } = request;
  const cameTo = (outcome: SliceSummary["outcome"], counts = noCounts(), error?: unknown): SliceSummary => {
    const { emitted, waiting } = counts;
    const summary: SliceSummary = { surveyId, outcome, emitted, waiting, withheld: withheldOf(counts) };
    if (error === undefined) return summary;
    const failure = failureOf(error);
    ports.observe({ kind: "survey failed", surveyId, ...failure });
    return { ...summary, failure };
  };
  try {
    const result = await pollSurvey({ ...request, presence: "present", head: true, isTurn: true });
    if (result === undefined) return cameTo("busy");
    const { counts, failure } = result;
    // A failure is not tried again at once.
    const goesOn = result.isFurther && failure === undefined;
    return cameTo(!result.resumed ? "done" : goesOn ? "goes on" : "stuck", counts, failure);
  } catch (error) {
    if (endsWork(error)) throw error;
    return cameTo("stuck", noCounts(), error);
  }
}
