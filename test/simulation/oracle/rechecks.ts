import { selected } from "../../../lib/polling/index.ts";
import { isListed, type SimResponse, type SimSurvey } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import { isSingleUsable } from "./lateness.ts";

/** Open responses of a survey of which at least one is asked about. */
const ENOUGH = 3;

/** Open responses are asked about while they are young: no other scan may make up for that unseen. */
export function createRecheckLog(world: World) {
  const asked = new Set<number>();
  const { plan, scheduler } = world;
  const { rescan, surveys } = plan.source;

  /** Whether it was seen open when it was young, and has been open for long since. */
  const isDue = (response: SimResponse): boolean => {
    const { endedAt, odd, readOpenAt, startedAt } = response;
    return (
      endedAt === undefined &&
      odd === undefined &&
      isListed(response) &&
      readOpenAt !== undefined &&
      readOpenAt - startedAt < rescan.full / 4 &&
      scheduler.now() - readOpenAt > rescan.full
    );
  };

  return {
    /** Operation 9 is asked about one. */
    asked: (responseId: number) => void asked.add(responseId),
    /** `isTrusted` tells whether operation 9 has had the time to equal a response of the survey. */
    atEnd(isTrusted: (survey: SimSurvey) => boolean): void {
      if (!plan.calm || plan.tight || world.overran) return;
      for (const survey of world.surveys.values()) {
        if (!selected(survey.id, surveys) || survey.gone || survey.plan.flips.length > 0 || !isSingleUsable(survey))
          continue;
        if (survey.traits.layout !== "contiguous" || !isTrusted(survey)) continue;
        const due = survey.responses.filter(isDue);
        if (due.length < ENOUGH || due.some(({ id }) => asked.has(id))) continue;
        world.violate(
          "unchecked",
          `survey ${survey.id}: none of ${due.length} open responses was ever looked at again`,
        );
      }
    },
  };
}
