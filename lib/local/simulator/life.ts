import { hash32 } from "./hashing.ts";
import {
  drawnRecords,
  durationSeconds,
  type Overrides,
  recordCount,
  repeatOf,
  type SimulatedResponse,
} from "./responses.ts";
import type { Settings } from "./settings.ts";
import { createSurvey, type Survey, type SurveySpec } from "./survey.ts";

/** Something has happened to a response; `at` in epoch milliseconds. */
export interface Change {
  kind: "completed" | "removed";
  surveyId: number;
  responseId: number;
  at: number;
}

/** Events of surveys and responses, at the simulator's present time. All of it throws for a survey or response that does not exist. */
export function createLife(
  surveys: Map<number, Survey>,
  context: { seed: number; settings: () => Settings; now: () => number; changed: (change: Change) => void },
) {
  const { seed, settings, now, changed } = context;
  // Ids are given out through the whole account, in the order in which responses begin.
  let nextId = 1000 + (hash32(seed, 90) % 100_000);

  function survey(surveyId: number): Survey {
    const found = surveys.get(surveyId);
    if (found === undefined) throw new Error(`there is no survey ${surveyId}`);
    return found;
  }

  function response(surveyId: number, responseId: number): SimulatedResponse {
    const found = survey(surveyId).find(responseId);
    if (found === undefined) throw new Error(`survey ${surveyId} has no response ${responseId}`);
    return found;
  }

  function freeId(owner: Survey, wanted: number | undefined): number {
    if (wanted !== undefined) {
      if (!Number.isInteger(wanted) || wanted < 0 || wanted >= 2 ** 40)
        throw new RangeError(`${wanted} is no response id`);
      for (const each of surveys.values())
        if (each.find(wanted) !== undefined) throw new Error(`response id ${wanted} is taken`);
      nextId = Math.max(nextId, wanted + 1);
      return wanted;
    }
    nextId += 1 + (hash32(seed, owner.surveyId, nextId, 91) % 3);
    return nextId - 1;
  }

  function add(surveyId: number, count: number, completed: boolean, overrides: Overrides): number[] {
    const owner = survey(surveyId);
    return Array.from({ length: count }, () => {
      const responseId = freeId(owner, overrides.responseId);
      const completedAt = completed ? (overrides.completedAt ?? now()) : null;
      const took = durationSeconds(owner.seed, responseId) * 1000;
      const startedAt = overrides.startedAt ?? (completedAt === null ? now() : completedAt - took);
      const records = recordCount(overrides.records ?? drawnRecords(owner.seed, responseId, settings()), overrides);
      owner.put({ responseId, startedAt, completedAt, records, revision: 0, overrides });
      owner.impressions += 1;
      if (completedAt !== null) changed({ kind: "completed", surveyId, responseId, at: completedAt });
      return responseId;
    });
  }

  function change(before: SimulatedResponse, changes: Overrides): SimulatedResponse {
    const overrides = { ...before.overrides, ...changes };
    const records = recordCount(changes.records ?? before.records - repeatOf(before).copies, overrides);
    const startedAt = changes.startedAt ?? before.startedAt;
    const completedAt = before.completedAt === null ? null : (changes.completedAt ?? before.completedAt);
    return { ...before, overrides, records, startedAt, completedAt };
  }

  return {
    /** Adds a survey; throws when its id is taken. */
    addSurvey(spec: SurveySpec): void {
      if (surveys.has(spec.surveyId)) throw new Error(`there is already a survey ${spec.surveyId}`);
      const added = createSurvey(spec, { seed, firstId: nextId, settings: settings(), now });
      nextId = Math.max(nextId, added.nextId);
      // Built now, so that the first page read of a long survey costs no more than the next.
      added.list(settings());
      surveys.set(spec.surveyId, added);
    },
    removeSurvey(surveyId: number): void {
      survey(surveyId);
      surveys.delete(surveyId);
    },
    /** Changes the questions of a survey, and with them its `modified`. */
    editSurvey(surveyId: number): void {
      const edited = survey(surveyId);
      edited.edition += 1;
      edited.modifiedAt = now();
    },
    /** Somebody looks at a survey without answering: its impressions move, nothing else. */
    visit(surveyId: number, count = 1): void {
      survey(surveyId).impressions += count;
    },
    /** New completed responses; returns their ids. */
    complete: (surveyId: number, count = 1, overrides: Overrides = {}) => add(surveyId, count, true, overrides),
    /** New open responses; returns their ids. */
    start: (surveyId: number, count = 1, overrides: Overrides = {}) => add(surveyId, count, false, overrides),
    /** An open response is completed. */
    finish(surveyId: number, responseId: number, overrides: Overrides = {}): void {
      const before = response(surveyId, responseId);
      if (before.completedAt !== null) throw new Error(`response ${responseId} is completed already`);
      const completedAt = overrides.completedAt ?? now();
      survey(surveyId).put({ ...change(before, overrides), completedAt });
      changed({ kind: "completed", surveyId, responseId, at: completedAt });
    },
    /** Puts overrides on a response; without any, its answers change. */
    edit(surveyId: number, responseId: number, overrides?: Overrides): void {
      const before = response(surveyId, responseId);
      const revision = overrides === undefined ? before.revision + 1 : before.revision;
      survey(surveyId).put({ ...change(before, overrides ?? {}), revision });
    },
    remove(surveyId: number, responseId: number): void {
      response(surveyId, responseId);
      survey(surveyId).drop(responseId);
      changed({ kind: "removed", surveyId, responseId, at: now() });
    },
  };
}
