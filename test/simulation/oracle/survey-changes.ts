import { isDeepStrictEqual } from "node:util";
import type { SurveyChanged } from "../../../lib/events/index.ts";
import type { SurveyState } from "../../../lib/polling/index.ts";
import { editionAt } from "../service/survey-facts.ts";
import type { SimSurvey } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import type { Violations } from "./violations.ts";

// What `survey.changed` events say: a chain in which each begins with what the one before has ended with, and ends with what the list shows.

export interface SurveyChanges {
  delivered(detail: SurveyChanged): void;
  /** What subscribers do not know of a survey itself. */
  wrongAtRest(survey: SimSurvey, known: SurveyState["known"]): string | undefined;
}

/** Ticks from an edit to its event: two lists have to show it. */
const TICKS = 4;

export function createSurveyChanges(world: World, violations: Violations): SurveyChanges {
  const chains = new Map<number, SurveyChanged[]>();

  const wrongLink = (chain: SurveyChanged[], { meta, data }: SurveyChanged): string | undefined => {
    const { surveyId, before, after } = data;
    const survey = world.surveys.get(surveyId);
    if (survey === undefined) return "is of no survey";
    if (meta.sequence !== chain.length + 1) return "does not follow the one before";
    const last = chain.at(-1);
    if (last !== undefined && !isDeepStrictEqual(before, last.data.after)) return "does not begin where that has ended";
    if (isDeepStrictEqual(before, after)) return "says nothing new";
    for (const facts of [before, after]) {
      if (facts !== null && !survey.editions.some((one) => isDeepStrictEqual(one.facts, facts)))
        return "says what never was";
    }
    return undefined;
  };

  return {
    delivered(detail) {
      const { surveyId } = detail.data;
      const chain = chains.get(surveyId) ?? [];
      chains.set(surveyId, chain);
      const repeated = chain.find(({ meta }) => meta.eventId === detail.meta.eventId);
      const name = `survey.changed ${detail.meta.sequence} of survey ${surveyId}`;
      if (repeated !== undefined) {
        if (!isDeepStrictEqual(repeated, detail)) violations.add("survey changed", `${name} came with two contents`);
        return;
      }
      const wrong = wrongLink(chain, detail);
      if (wrong !== undefined) violations.add("survey changed", `${name} ${wrong}`);
      if (detail.data.after === null) world.sometimes("a survey is told to be gone");
      if (detail.data.before === null) world.sometimes("a survey is told to be there");
      chain.push(detail);
    },
    wrongAtRest(survey, known) {
      if (!world.plan.source.events.has("survey.changed") || known === undefined) return undefined;
      const chain = chains.get(survey.id) ?? [];
      const { facts: after, sequence } = known;
      const isTold = chain.length === 0 || isDeepStrictEqual(chain.at(-1)?.data.after, after);
      if (sequence !== chain.length || !isTold) return "the mark says more than subscribers know";
      if (after === null) return survey.hidden ? undefined : "subscribers were told that it is gone, and it is listed";
      const since = world.scheduler.now() - TICKS * world.plan.source.interval;
      const isOld =
        survey.editions.findLastIndex(({ facts }) => isDeepStrictEqual(facts, after)) < editionAt(survey, since);
      return isOld ? "it was edited, and nobody was told" : undefined;
    },
  };
}
