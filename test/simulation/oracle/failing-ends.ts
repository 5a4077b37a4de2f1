import { listedRecords, PAGE, type SimSurvey } from "../service/survey-model.ts";
import type { World } from "../world.ts";

/** Milliseconds within which a fault that does not pass is taken for the end of a list: ten minutes, which may begin anew once. */
const TAKEN_WITHIN = 1_260_000;

export interface FailingEnds {
  /** Whether a poll may have failed as the service fails behind the end of the list, of this survey or of any. */
  explain(surveyId: number | undefined): boolean;
}

/** Whether pages fail behind a last page that is full: nothing shows the end of such a list (docs/internals/api-gaps.md). */
export function hidesItsEnd(survey: SimSurvey): boolean {
  const { pastEnd, shortPages } = survey.traits;
  if (pastEnd !== "fault" || shortPages) return false;
  const { length } = listedRecords(survey);
  return length > 0 && length % PAGE === 0;
}

/** For how long polls fail of surveys whose pages do so behind the end. */
export function createFailingEnds({ surveys, scheduler }: World): FailingEnds {
  /** By survey: epoch milliseconds of the first such failure. */
  const since = new Map<number, number>();
  const explains = (surveyId: number): boolean => {
    const survey = surveys.get(surveyId);
    if (survey?.traits.pastEnd !== "fault") return false;
    if (hidesItsEnd(survey)) return true;
    const first = since.get(surveyId) ?? scheduler.now();
    since.set(surveyId, first);
    return scheduler.now() - first <= TAKEN_WITHIN;
  };
  return {
    explain: (surveyId) => (surveyId === undefined ? [...surveys.keys()] : [surveyId]).some(explains),
  };
}
