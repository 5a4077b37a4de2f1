import type { CountRule, Settings } from "./settings.ts";
import type { Survey } from "./survey.ts";

/** The three counts of a survey list item, of which the document does not say what they count. */
type CountField = keyof Settings["counts"];

export interface Counts {
  of(survey: Survey, field: CountField): number;
  /** Fixes what frozen counts show from now on. */
  freeze(surveys: Iterable<Survey>): void;
}

export function createCounts(settings: () => Settings, now: () => number): Counts {
  const frozen = new WeakMap<Survey, number>();
  return {
    freeze(surveys) {
      for (const survey of surveys) frozen.set(survey, survey.tally.completed);
    },
    of(survey, field) {
      const rule = settings().counts[field];
      if (typeof rule === "function") return rule({ surveyId: survey.surveyId, ...survey.tally });
      return counted(rule, survey);
    },
  };

  function counted(rule: Exclude<CountRule, (...args: never) => unknown>, survey: Survey): number {
    switch (rule) {
      case "completed":
        return survey.tally.completed;
      case "started":
        return survey.tally.completed + survey.tally.open;
      case "everCompleted":
        return survey.tally.everCompleted;
      case "lagging":
        return survey.history.findLast(({ at }) => at <= now() - settings().countLagMs)?.completed ?? firstOf(survey);
      case "frozen":
        return frozen.get(survey) ?? survey.tally.completed;
      case "zero":
        return 0;
    }
  }
}

const firstOf = (survey: Survey): number => survey.history[0]?.completed ?? 0;
