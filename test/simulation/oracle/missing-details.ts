import type { ResponseCompleted } from "../../../lib/events/index.ts";
import { START } from "../plan/plan.ts";
import type { SimResponse } from "../service/survey-model.ts";
import type { World } from "../world.ts";

type Kind = "metrics" | "metadata";

/** What operations 11 and 13 were asked and said. */
export interface DetailLog {
  asked(kind: Kind, responseId: number): void;
  note(kind: Kind, response: SimResponse, answer: "found" | "absent" | "failed"): void;
  /** What is wrong with what an event says is missing; undefined when nothing is. */
  wrongMissing(detail: ResponseCompleted): string | undefined;
}

interface Asked {
  firstAt: number;
  times: number;
  absent: number;
}

/** After so many absent ones in a row a survey is taken to have none; failures are given up after three attempts. */
const NONE_IN_A_ROW = 20;
const LEAST_ATTEMPTS = 3;
/** A response is first seen on a page, and asked for when that page is dealt with. */
const SEEN_BEFORE = 30_000;

export function createDetailLog(world: World): DetailLog {
  const asked = new Map<string, Asked>();
  const inARow = new Map<string, number>();
  const longest = new Map<string, number>();

  /** When the poller may have seen it first: one that stands still, or knows of an outage, asks long after. */
  const firstSeen = (responseId: number, log: Asked): number => {
    // Both are asked for at once, but in an outage of one of them that one waits.
    const others = (["metrics", "metadata"] as const).map((kind) => asked.get(`${kind} ${responseId}`)?.firstAt);
    const firstAt = Math.min(log.firstAt, ...others.filter((at) => at !== undefined));
    const { completedAt = firstAt } = world.responses.get(responseId) ?? {};
    const { met } = world.plan;
    return met.has("freeze") || met.has("outage:metrics") || met.has("outage:metadata")
      ? completedAt
      : Math.max(completedAt, firstAt - SEEN_BEFORE);
  };

  const wrong = (kind: Kind, reason: string, { data, meta }: ResponseCompleted): string | undefined => {
    const log = asked.get(`${kind} ${data.responseId}`);
    const now = world.scheduler.now();
    const { source } = world.plan;
    if (log === undefined) return `${kind} are called missing, but nobody asked for them`;
    const since = now - firstSeen(data.responseId, log);
    if (reason === "gave-up") {
      // A repair has been waited for long enough: its response went out before.
      if (meta.revision > 1) return undefined;
      const long = since >= source.enrichmentPatience;
      return long && log.times >= LEAST_ATTEMPTS ? undefined : `${kind} were given up too early`;
    }
    if (log.absent === 0) return `${kind} are called absent, but were not`;
    const many = (longest.get(`${kind} ${data.surveyId}`) ?? 0) >= NONE_IN_A_ROW;
    return many || since >= source.absentAfter ? undefined : `${kind} were called absent too early`;
  };

  /** Patience is over at the end of `enrichmentPatience`; in weather nobody can tell for how long asking has failed. */
  const wrongGivenUp = ({ data, meta }: ResponseCompleted): string | undefined => {
    const { words, goneFrom = Infinity } = world.surveys.get(data.surveyId) ?? {};
    if (!world.plan.calm || meta.revision > 1) return undefined;
    // A survey that is gone for a while has no definition either.
    const failed = world.scheduler.now() - Math.min(START + (words?.fails?.from ?? Infinity), goneFrom);
    return failed >= world.plan.source.enrichmentPatience ? undefined : "its questions were given up too early";
  };

  return {
    asked(kind, responseId) {
      const key = `${kind} ${responseId}`;
      const log = asked.get(key) ?? { firstAt: world.scheduler.now(), times: 0, absent: 0 };
      log.times += 1;
      asked.set(key, log);
    },
    note(kind, response, answer) {
      const log = asked.get(`${kind} ${response.id}`);
      if (answer === "absent" && log !== undefined) log.absent += 1;
      if (answer === "found" && log !== undefined && log.times > 1) world.sometimes("details come at a later attempt");
      const row = `${kind} ${response.survey.id}`;
      if (answer === "found") inARow.set(row, 0);
      if (answer !== "absent") return;
      inARow.set(row, (inARow.get(row) ?? 0) + 1);
      longest.set(row, Math.max(longest.get(row) ?? 0, inARow.get(row) ?? 0));
    },
    wrongMissing(detail) {
      for (const name of detail.meta.missing) {
        const [kind, reason] = name.split(":");
        if (name === "questions:gave-up") {
          const problem = wrongGivenUp(detail);
          if (problem !== undefined) return problem;
          world.sometimes("an event goes out without its questions");
          continue;
        }
        if (kind !== "metrics" && kind !== "metadata") return `it misses ${name}, which nothing provides for`;
        const problem = wrong(kind, reason ?? "", detail);
        if (problem !== undefined) return problem;
        world.sometimes(
          reason === "gave-up"
            ? "an event goes out without details that failed"
            : "an event goes out without details that were absent",
        );
      }
      return undefined;
    },
  };
}
