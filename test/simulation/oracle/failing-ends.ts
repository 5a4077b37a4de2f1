import { listedRecords, PAGE, type SimSurvey } from "../service/survey-model.ts";
import type { World } from "../world.ts";

/** Whether pages fail behind a last page that is full: nothing shows the end of such a list (docs/internals/api-gaps.md). */
export function hidesItsEnd(survey: SimSurvey): boolean {
  const { pastEnd, shortPages } = survey.traits;
  if (pastEnd !== "fault" || shortPages) return false;
  const { length } = listedRecords(survey);
  return length > 0 && length % PAGE === 0;
}

/**
 * Whether a poll may have failed as the service fails behind the end of a list, of this survey or of any. Three polls do, in either order, whenever that end has moved.
 * That they come to an end all the same is held by the books.
 */
export function failsBehindEnd({ surveys }: World, surveyId: number | undefined): boolean {
  const some = surveyId === undefined ? [...surveys.values()] : [surveys.get(surveyId)];
  return some.some((survey) => survey?.traits.pastEnd === "fault");
}
