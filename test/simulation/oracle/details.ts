import type { ResponseCompleted } from "../../../lib/events/index.ts";
import { START } from "../plan/plan.ts";
import type { SimResponse } from "../service/survey-model.ts";
import type { World } from "../world.ts";

type Kind = "metrics" | "metadata";
type Answer = "found" | "absent" | "failed";

const kinds: readonly Kind[] = ["metrics", "metadata"];

/** How one of the details of a response was asked for. Times are epoch milliseconds. */
interface Asked {
  firstAt: number;
  times: number;
  absent: number;
  /** When it was found last. */
  foundAt?: number;
}

/** After so many absent ones in a row a survey is taken to have none; failures are given up after three attempts. */
const NONE_IN_A_ROW = 20;
const LEAST_ATTEMPTS = 3;
/** A response is first seen on a page, and asked for when that page is dealt with. A probe that nobody answers may come before it. */
const SEEN_BEFORE = 35_000;
/** Milliseconds: the client gives a request up after thirty seconds. What is answered goes out long before that. */
const GIVEN_UP = 30_000;
const MOST_AFTER_ANSWER = 20_000;

/** What operations 11 and 13 were asked and said: what an event misses is missing, and one that hangs keeps nothing else waiting. */
export function createDetailLog(world: World) {
  const { plan, scheduler } = world;
  const asked = new Map<string, Asked>();
  const inARow = new Map<string, number>();
  const longest = new Map<string, number>();
  /** By survey: the last request that no answer comes to. */
  const hanging = new Map<number, { at: number; responseId: number }>();

  /** When the poller may have seen it first: one that stands still, or knows of an outage, asks long after. */
  const firstSeen = (responseId: number, log: Asked): number => {
    // Both are asked for at once, but in an outage of one of them that one waits.
    const others = kinds.map((kind) => asked.get(`${kind} ${responseId}`)?.firstAt);
    const firstAt = Math.min(log.firstAt, ...others.filter((at) => at !== undefined));
    const { completedAt = firstAt } = world.responses.get(responseId) ?? {};
    const isLate = ["freeze", "outage:metrics", "outage:metadata"].some((ingredient) => plan.met.has(ingredient));
    return isLate ? completedAt : Math.max(completedAt, firstAt - SEEN_BEFORE);
  };

  const wrongDetail = (kind: Kind, reason: string, { data, meta }: ResponseCompleted): string | undefined => {
    const log = asked.get(`${kind} ${data.responseId}`);
    if (log === undefined) return `${kind} are called missing, but nobody asked for them`;
    const since = scheduler.now() - firstSeen(data.responseId, log);
    if (reason === "gave-up") {
      // A repair has been waited for long enough: its response went out before.
      if (meta.revision > 1) return undefined;
      const long = since >= plan.source.enrichmentPatience;
      return long && log.times >= LEAST_ATTEMPTS ? undefined : `${kind} were given up too early`;
    }
    if (log.absent === 0) return `${kind} are called absent, but were not`;
    const many = (longest.get(`${kind} ${data.surveyId}`) ?? 0) >= NONE_IN_A_ROW;
    return many || since >= plan.source.absentAfter ? undefined : `${kind} were called absent too early`;
  };

  /** Patience is over at the end of `enrichmentPatience`; in weather nobody can tell for how long asking has failed. */
  const wrongQuestions = ({ data, meta }: ResponseCompleted): string | undefined => {
    const { words, goneFrom = Infinity } = world.surveys.get(data.surveyId) ?? {};
    if (!plan.calm || meta.revision > 1) return undefined;
    // A survey that is gone for a while has no definition either.
    const failed = scheduler.now() - Math.min(START + (words?.fails?.from ?? Infinity), goneFrom);
    return failed >= plan.source.enrichmentPatience ? undefined : "its questions were given up too early";
  };

  return {
    /** Called when one is asked for, whatever comes of it. */
    asked(kind: Kind, responseId: number): void {
      const key = `${kind} ${responseId}`;
      const log = asked.get(key) ?? { firstAt: scheduler.now(), times: 0, absent: 0 };
      log.times += 1;
      asked.set(key, log);
    },
    /** Called at the moment of the answer. */
    answered(kind: Kind, response: SimResponse, answer: Answer): void {
      const log = asked.get(`${kind} ${response.id}`);
      const row = `${kind} ${response.survey.id}`;
      if (answer === "found") {
        inARow.set(row, 0);
        if (log === undefined) return;
        log.foundAt = scheduler.now();
        if (log.times > 1) world.sometimes("details come at a later attempt");
      } else if (answer === "absent") {
        if (log !== undefined) log.absent += 1;
        const count = (inARow.get(row) ?? 0) + 1;
        inARow.set(row, count);
        longest.set(row, Math.max(longest.get(row) ?? 0, count));
      }
    },
    /** No answer comes to a request made now. */
    hangs({ id, survey }: SimResponse): void {
      hanging.set(survey.id, { at: scheduler.now(), responseId: id });
    },
    /** Whether an event was kept waiting by another response, whose details hang. */
    checkWaited({ data, meta }: ResponseCompleted): void {
      const hang = hanging.get(data.surveyId);
      const wanted = kinds
        .filter((kind) => plan.source.enrich[kind])
        .map((kind) => asked.get(`${kind} ${data.responseId}`)?.foundAt ?? 0);
      // Where a process stands still, the bus fails or the survey's questions do, it waits for that.
      const isAsked = world.surveys.get(data.surveyId)?.words.fails === undefined;
      const isTold = plan.calm && isAsked && meta.complete && !wanted.includes(0) && wanted.length > 0;
      if (!isTold || hang === undefined || hang.responseId === data.responseId) return;
      const at = Math.max(...wanted);
      const waited = scheduler.now() - at;
      if (hang.at > at || hang.at + GIVEN_UP < at || waited <= MOST_AFTER_ANSWER) return;
      const told = `${data.surveyId}/${data.responseId} went out ${waited} ms after its details were answered`;
      world.violate("waits", `${told}: those of ${hang.responseId} were not`);
    },
    /** What is wrong with what an event says is missing; undefined when nothing is. */
    wrongMissing(detail: ResponseCompleted): string | undefined {
      for (const name of detail.meta.missing) {
        const [first, reason = ""] = name.split(":");
        const kind = kinds.find((one) => one === first);
        if (kind === undefined && name !== "questions:gave-up") return `it misses ${name}, which nothing provides for`;
        const problem = kind === undefined ? wrongQuestions(detail) : wrongDetail(kind, reason, detail);
        if (problem !== undefined) return problem;
        if (kind === undefined) world.sometimes("an event goes out without its questions");
        else if (reason === "gave-up") world.sometimes("an event goes out without details that failed");
        else world.sometimes("an event goes out without details that were absent");
      }
      return undefined;
    },
  };
}
