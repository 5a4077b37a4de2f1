import { mayBePastEnd } from "../../../lib/polling/walk/failing-end.ts";
import type { World } from "../world.ts";

/** Milliseconds within which a fault that does not pass is taken for the end of a list: ten minutes, which may begin anew once. */
const TAKEN_WITHIN = 1_260_000;

export interface FailingEnds {
  /** Whether a poll may have failed as the service fails behind the end of the list, of this survey or of any. */
  explain(code: string, surveyId: number | undefined): boolean;
}

/** For how long polls fail of surveys whose pages do so behind the end. */
export function createFailingEnds({ surveys, scheduler }: World): FailingEnds {
  /** By survey: epoch milliseconds of the first such failure. */
  const since = new Map<number, number>();
  const explains = (surveyId: number): boolean => {
    if (surveys.get(surveyId)?.traits.pastEnd !== "fault") return false;
    const first = since.get(surveyId) ?? scheduler.now();
    since.set(surveyId, first);
    return scheduler.now() - first <= TAKEN_WITHIN;
  };
  return {
    explain: (code, surveyId) =>
      mayBePastEnd({ code }) && (surveyId === undefined ? [...surveys.keys()] : [surveyId]).some(explains),
  };
}
