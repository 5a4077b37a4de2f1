import type { DetailRead, PageRead, SurveyService } from "../../../lib/polling/ports.ts";
import { NetworkError, ServerError, UnreadableBodyError } from "../../../lib/survey-api/errors.ts";
import { mix } from "../engine/random.ts";
import type { WorkerProcess } from "../engine/worker-process.ts";
import { shownCounts } from "../service/counts.ts";
import { metadataOf, metricsOf, singleOf } from "../service/details.ts";
import type { Life } from "../service/life.ts";
import { pageOf, recordsNow, turned } from "../service/listing.ts";
import type { Detail, SimResponse, SimSurvey } from "../service/survey-model.ts";
import { shown } from "../service/volatile.ts";
import type { World } from "../world.ts";
import type { Weather } from "./weather.ts";

/** Milliseconds within which no second page of a survey is empty by mistake. */
const EMPTY_ONCE = 120_000;
/** Pages of one survey on their way at once from which on it is read ahead in depth. */
const MANY_PAGES = 3;

export interface ServiceWatch {
  /** Called at the moment of each request. */
  request(operation: string): void;
  page(survey: SimSurvey): void;
  /** Called when one is asked for, whatever comes of it; and at the moment of the answer. */
  asked(kind: "metrics" | "metadata", responseId: number): void;
  /** Called when operation 9 is asked about one. */
  single(responseId: number): void;
  detail(kind: "metrics" | "metadata", response: SimResponse, answer: "found" | "absent" | "failed"): void;
}

/** The survey service as one process of the poller meets it: what the client throws once its own retries have ended. */
export function servicePort(
  world: World,
  weather: Weather,
  life: Life,
  process: WorkerProcess,
  watch: ServiceWatch,
): SurveyService {
  const restless = world.random(`restless ${process.name}`);
  const { scheduler } = world;
  let answers = 0;
  /** Pages on their way, by survey. */
  const pages = new Map<number, number[]>();

  const call = <T>(operation: string, told: string, effect: () => T): Promise<T> =>
    process.call("service", operation, () => {
      watch.request(operation);
      if (restless.chance(world.plan.restless)) {
        if ([...pages.values()].some((some) => new Set(some).size >= MANY_PAGES)) world.meet("moves-while-read-ahead");
        life.hurry();
      }
      world.trace?.(() => `${process.name} ${told}`);
      return effect();
    });

  const onTheWay = async (surveyId: number, page: number, answer: Promise<PageRead>): Promise<PageRead> => {
    const some = pages.get(surveyId) ?? [];
    pages.set(surveyId, some);
    some.push(page);
    try {
      return await answer;
    } finally {
      some.splice(some.indexOf(page), 1);
    }
  };

  const surveyOf = (surveyId: number): SimSurvey | undefined => {
    const survey = world.surveys.get(surveyId);
    return survey === undefined || survey.gone ? undefined : survey;
  };

  /** Once, and then not again for a while. */
  const isEmptyByMistake = (survey: SimSurvey): boolean => {
    if (scheduler.now() < survey.emptyAt + EMPTY_ONCE || !weather.happens("service:empty-page")) return false;
    survey.emptyAt = scheduler.now();
    return true;
  };

  /** Only from the page on that has shown it open can an open response be looked at again. */
  const noteOpen = (records: readonly unknown[]): void => {
    let last: unknown;
    for (const record of records) {
      const { responseId } = (record ?? {}) as { responseId?: unknown };
      if (responseId === last) continue;
      last = responseId;
      const response = world.responses.get(Number(responseId));
      if (response !== undefined && response.endedAt === undefined) response.shownOpen = true;
    }
  };

  const detail = (
    kind: "metrics" | "metadata",
    surveyId: number,
    responseId: number,
    body: (response: SimResponse) => unknown,
  ): Promise<DetailRead> => {
    watch.asked(kind, responseId);
    return call(kind, `${kind} of ${surveyId}/${responseId}`, () => {
      const survey = surveyOf(surveyId);
      const response = world.responses.get(responseId);
      if (response === undefined) return { kind: "absent" };
      const there = survey !== undefined && response.listed;
      const state = there ? stateOf(response[kind], scheduler.now()) : "absent";
      const answer = weather.isOut(kind) ? "failed" : state;
      watch.detail(kind, response, answer);
      if (answer === "failed") throw failure(responseId);
      if (answer === "found") return { kind: "found", body: body(response) };
      return responseId % 2 === 0 ? { kind: "absent" } : { kind: "found", body: [] };
    });
  };

  return {
    surveys: () =>
      call("surveys", "reads the survey list", () => {
        if (weather.happens("service:list-fails")) throw failure(0);
        if (weather.happens("service:list-empty")) return [];
        return [...world.surveys.values()]
          .filter((survey) => !survey.hidden)
          .map((survey) => ({
            surveyId: survey.id,
            created: survey.oddCreated ? null : Math.floor(survey.createdAt / 1000),
            ...shownCounts(survey, scheduler.now()),
            impressions: Math.floor(scheduler.now() / 1000),
            opened: 0,
          }));
      }),
    page: (surveyId, number, order) =>
      onTheWay(
        surveyId,
        number,
        call("page", `reads page ${number} ${order} of ${surveyId}`, (): PageRead => {
          const survey = surveyOf(surveyId);
          if (survey === undefined) return { kind: "none", status: 404 };
          survey.firstReadAt ??= scheduler.now();
          watch.page(survey);
          if (number >= survey.failsFrom) throw fault(survey.id);
          if (isEmptyByMistake(survey)) return { kind: "page", records: [] };
          const records = pageOf(survey, number, order);
          if (records !== undefined) {
            noteOpen(records);
            const turn = survey.traits.ties ? mix(scheduler.now(), number) : 0;
            answers += 1;
            return { kind: "page", records: shown(turned(records, turn), survey.traits.volatile, answers) };
          }
          const { pastEnd } = survey.traits;
          if (pastEnd === "not-found") return { kind: "none", status: 404 };
          // On page 1 the client itself takes a 400 for a bad request.
          if (pastEnd === "bad-request" && number > 1) return { kind: "none", status: 400 };
          if (pastEnd === "fault" && number > 1) throw fault(survey.id);
          return { kind: "page", records: [] };
        }),
      ),
    response: (surveyId, responseId) =>
      call("response", `reads response ${surveyId}/${responseId}`, (): DetailRead<unknown[]> => {
        watch.single(responseId);
        const survey = surveyOf(surveyId);
        const response = world.responses.get(responseId);
        if (survey === undefined || response === undefined || response.survey !== survey) return { kind: "absent" };
        if (response.removedAt !== undefined || survey.traits.single === "gone") return { kind: "absent" };
        if (survey.traits.single === "failing") throw failure(responseId);
        if (response.endedAt === undefined && survey.traits.single === "not-open") return { kind: "absent" };
        const answer = stateOf(response.single, scheduler.now());
        answers += 1;
        if (answer === "failed") throw failure(responseId);
        return answer === "absent"
          ? { kind: "absent" }
          : { kind: "found", body: singleOf(survey, shown(recordsNow(response), survey.traits.volatile, answers)) };
      }),
    metrics: (surveyId, responseId) => detail("metrics", surveyId, responseId, metricsOf),
    metadata: (surveyId, responseId) => detail("metadata", surveyId, responseId, metadataOf),
  };
}

function stateOf({ presentFrom, failsUntil }: Detail, now: number): "found" | "absent" | "failed" {
  if (now < failsUntil) return "failed";
  return now < presentFrom ? "absent" : "found";
}

/** What a service answers behind the end of a list that it knows no better answer for. */
function fault(surveyId: number): Error {
  const operation = "get survey responses, page and order";
  return surveyId % 2 === 0
    ? new ServerError("the service failed", { operation, status: 500 })
    : new UnreadableBodyError("no list", { operation });
}

function failure(responseId: number): Error {
  const operation = "get survey response by id";
  return responseId % 2 === 0
    ? new ServerError("the service failed", { operation, status: 500 })
    : new NetworkError("the connection broke", { operation });
}
