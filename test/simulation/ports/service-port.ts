import * as definition from "../../../lib/events/build/definition.ts";
import type { Model } from "../../../lib/local/simulator/model.ts";
import { OutOfTimeError, type SurveyService } from "../../../lib/polling/index.ts";
import type { KeepDefinitions } from "../../../lib/service/kept-definitions.ts";
import { NEWS, toSurveyService } from "../../../lib/service/survey-service.ts";
import { NetworkError, ServerError, TimeoutError } from "../../../lib/survey-api/errors.ts";
import { createCalls } from "../../../lib/survey-api/operations.ts";
import type { DataRequest } from "../../../lib/survey-api/token/authorized.ts";
import { mix } from "../engine/random.ts";
import type { WorkerProcess } from "../engine/worker-process.ts";
import type { Oracle } from "../oracle/oracle.ts";
import { START } from "../plan/plan.ts";
import type { Life } from "../service/life.ts";
import { signed, tiesResponses, turned } from "../service/rereads.ts";
import {
  type CutPage,
  type Detail,
  definitionShown,
  EXTRA_QUESTION,
  isListed,
  type Json,
  listedItem,
  listedOf,
  type SimResponse,
  type SimSurvey,
} from "../service/survey-model.ts";
import type { World } from "../world.ts";
import type { Weather } from "./weather.ts";

/** Milliseconds after which the client gives up an answer that never comes. */
const NEVER = 30_000;
/** Loading takes real time, which a history does not have. */
const loadReader = async (): Promise<typeof definition> => definition;

/**
 * The survey service as one process of the poller meets it: the client's own reading of answers, over a service that answers in virtual time. A failure is what
 * the client throws once its own retries have ended.
 */
export function servicePort(
  world: World,
  weather: Weather,
  life: Life,
  process: WorkerProcess,
  watch: Oracle["service"],
  { abortsAt, keeping }: { abortsAt: number; keeping: KeepDefinitions },
): SurveyService {
  const { clock } = process;
  /** As the client aborts what is under way when the invocation's time is over. */
  const timeIsUp = new Promise<never>((_, reject) => {
    const stop = clock.every(Math.max(0, abortsAt - clock.now()), () => {
      stop();
      reject(new OutOfTimeError());
    });
  });
  timeIsUp.catch(() => undefined);
  const restless = world.random(`restless ${process.name}`);
  const answerTo = createAnswers(world, weather, watch);

  const ask = (request: DataRequest<unknown>): Promise<ServiceAnswer> => {
    if (clock.now() >= abortsAt) throw new OutOfTimeError();
    const { name, told, answer } = answerTo(request);
    return process.call("service", () => {
      watch.request(name);
      if (restless.chance(world.plan.restless)) life.hurry();
      world.trace?.(() => `${process.name} ${told}`);
      return answer();
    });
  };

  const { elements, entries, response, survey } = createCalls(async ({ readBody, ...request }) => {
    const answer = await Promise.race([ask({ ...request, readBody }), timeIsUp]);
    const about = { operation: request.operation, attempts: 1 };
    if (answer.status === "never") {
      await Promise.race([process.sleep(NEVER), timeIsUp]);
      throw new TimeoutError("no whole answer in time", { ...about, retryable: true });
    }
    if (answer.status !== 200) return { ...answer, attempts: 1 };
    return { status: 200, value: readBody(answer.body, { ...about, status: 200 }), attempts: 1 };
  });
  return keeping(toSurveyService({ elements, entries, response, survey }, NEWS, undefined, loadReader));
}

/** Milliseconds within which no second page of a survey is empty by mistake. */
const EMPTY_ONCE = 120_000;
/** As if so many pages were read at the first look at a survey. */
const FIRST_LOOK_CHANCES = 6;

/** A status with the JSON of its body; "never": none comes. */
type ServiceAnswer = { status: 200; body: unknown } | { status: 204 | 400 | 404 } | { status: "never" };

/** How the service is going to answer a request: `answer` is called at the moment when it does, and throws where the connection fails. */
interface Coming {
  /** Short name of the operation. */
  name: string;
  /** What the trace says. */
  told: string;
  answer: () => ServiceAnswer;
}

const ok = (body: unknown): ServiceAnswer => ({ status: 200, body });
const NOT_FOUND: ServiceAnswer = { status: 404 };
/** What some services answer in the place of an error. */
const ERROR_BODY = ok({ success: false, error: { code: 101, type: "invalid_access_key" } });
/** How a service says that it has nothing. */
const NOTHING: readonly ServiceAnswer[] = [NOT_FOUND, ok([]), { status: 204 }, ok([{}]), ok(null), ok([[]])];

function createAnswers(
  world: World,
  weather: Weather,
  watch: Oracle["service"],
): (request: DataRequest<unknown>) => Coming {
  const { scheduler } = world;
  let answers = 0;

  const surveyOf = (surveyId: number): SimSurvey | undefined => {
    const survey = world.surveys.get(surveyId);
    return survey === undefined || survey.gone ? undefined : survey;
  };

  /** Once, and then not again for a while. What is seen first decides where history begins: there it is more likely. */
  const isEmptyByMistake = (survey: SimSurvey, isFirst: boolean): boolean => {
    if (scheduler.now() < survey.emptyAt + EMPTY_ONCE) return false;
    const chances = isFirst ? FIRST_LOOK_CHANCES : 1;
    if (!Array.from({ length: chances }).some(() => weather.happens("service:empty-page"))) return false;
    survey.emptyAt = scheduler.now();
    return true;
  };

  /** Only from the page on that has shown it open can an open response be looked at again. */
  const noteOpen = (records: readonly unknown[]): void => {
    for (const id of new Set(records.map((record) => (record as { responseId?: unknown } | null)?.responseId))) {
      const response = world.responses.get(Number(id));
      if (response !== undefined && response.endedAt === undefined) response.shownOpen = true;
    }
  };

  const surveyList = (): ServiceAnswer => {
    if (weather.happens("service:list-fails")) throw failure(0);
    if (weather.happens("service:list-empty")) return ok([]);
    const listed = [...world.surveys.values()].filter((survey) => !survey.hidden);
    const rows = listed.map((survey) => ({
      ...listedItem(survey),
      ...(survey.plan.oddCreated ? { created: null } : {}),
      impressions: Math.floor(scheduler.now() / 1000),
      opened: Math.floor(scheduler.now() / 7000),
    }));
    watch.listed(rows);
    return ok(rows);
  };

  /** The page of another survey, as a cache gives it that mixes them up. */
  const mixedUp = (survey: SimSurvey, number: number, order: "asc" | "desc"): readonly Json[] | undefined => {
    const other = [...world.surveys.values()].find(({ id, traits }) => id !== survey.id && traits.namesItself);
    const records = other?.model.peek(other.id, number, order).records;
    // A record that belongs to no response need not name its survey.
    const isNamed = records?.some(({ surveyId }) => surveyId === other?.id) === true;
    return isNamed && weather.happens("service:page-mixed") ? records : undefined;
  };

  const page = (surveyId: number, number: number, order: "asc" | "desc"): ServiceAnswer => {
    const survey = surveyOf(surveyId);
    if (survey === undefined) return NOT_FOUND;
    const isFirst = survey.firstReadAt === undefined;
    survey.firstReadAt ??= scheduler.now();
    if (number >= survey.failsFrom) return fault(survey.id);
    const others = mixedUp(survey, number, order);
    if (others !== undefined) return ok(others);
    if (isEmptyByMistake(survey, isFirst)) {
      if (isFirst && listedOf(survey).length > 0) world.sometimes("the first look at a survey is empty by mistake");
      return ok([]);
    }
    const model = modelInTurn(survey);
    const parameters = { survey: String(surveyId), page: String(number), order };
    const given = model.answer({ operation: "responses-order", parameters }) as ModelAnswer;
    const cut = cutOf(model.peek(surveyId, number, order), given);
    watch.page({ survey, number, page: cut });
    if (given.status === 500) return fault(surveyId);
    if (given.status === 204) world.meet("past-end:no-content");
    if (given.status !== 200 || cut === undefined) return given as ServiceAnswer;
    noteOpen(cut.records);
    answers += 1;
    const records = turned({ ...cut, records: given.body as Json[] }, survey.traits, mix(scheduler.now(), number));
    if (tiesResponses(survey.traits.ties) && isOtherwise(cut.records, records))
      world.sometimes("responses that tie change places");
    return ok(survey.traits.volatile === "comment" ? signed(records, answers) : records);
  };

  const single = (surveyId: number, responseId: number): ServiceAnswer => {
    const survey = surveyOf(surveyId);
    const response = world.responses.get(responseId);
    if (survey === undefined || response === undefined || response.survey !== survey) return NOT_FOUND;
    if (response.removedAt !== undefined || survey.traits.single === "gone") return NOT_FOUND;
    if (survey.traits.single === "failing") throw failure(responseId);
    if (response.endedAt === undefined && survey.traits.single === "not-open") return NOT_FOUND;
    const state = stateOf(response.single, scheduler.now());
    answers += 1;
    if (state === "failed") throw failure(responseId);
    if (state === "absent") return nothingOf(responseId);
    const records = bodyOf("response", response) as Json[];
    return ok(singleOf(survey, survey.traits.volatile === "comment" ? signed(records, answers) : records));
  };

  const detail = (kind: "metrics" | "metadata", surveyId: number, responseId: number): ServiceAnswer => {
    const survey = surveyOf(surveyId);
    const response = world.responses.get(responseId);
    if (response === undefined) return NOT_FOUND;
    const there = survey !== undefined && isListed(response);
    if (response.removedAt !== undefined) world.sometimes("details are asked of one that is gone");
    const state = there ? stateOf(response[kind], scheduler.now()) : "absent";
    const hangs = weather.happens("service:detail-hangs") || (state === "failed" && response[kind].hangs === true);
    const mixedUp = state === "found" && kind === "metadata" ? metadataOfOther(response) : undefined;
    const answer = weather.isOut(kind) || hangs || mixedUp !== undefined ? "failed" : state;
    watch.answered(kind, response, answer);
    if (hangs) {
      world.meet("detail-hangs");
      watch.hangs(response);
      return { status: "never" };
    }
    if (mixedUp !== undefined) return ok(mixedUp);
    if (answer === "failed") return failedDetail(responseId);
    if (answer === "absent") return nothingOf(responseId);
    const body = bodyOf(kind, response);
    return ok(kind === "metrics" && response.survey.traits.metricsAs === "bare" ? bare(body) : body);
  };

  const definition = (surveyId: number): ServiceAnswer => {
    const survey = surveyOf(surveyId);
    if (survey === undefined) return NOT_FOUND;
    const { fails } = survey.words;
    const now = scheduler.now() - START;
    if (fails !== undefined && now >= fails.from && now < fails.to) {
      if (fails.how === "status") throw failure(survey.id);
      return fails.how === "gone" ? NOT_FOUND : ERROR_BODY;
    }
    return ok([definitionShown(survey)]);
  };

  /** The metadata of another response, as a cache gives them that mixes them up. */
  const metadataOfOther = ({ id, survey }: SimResponse): unknown => {
    const other = survey.responses.find((one) => one.id !== id && isListed(one));
    if (other === undefined || !weather.happens("service:detail-mixed")) return undefined;
    // It is named: nobody could tell what is another one's and names nobody.
    return (bodyOf("metadata", other) as Json[]).slice(-1).map((own) => ({ ...own, responseId: other.id }));
  };

  return ({ operation, parameters }) => {
    const { surveyId = 0, responseId = 0, page: number = 1, order = "asc" } = parameters as Partial<Parameters>;
    const of = `${surveyId}/${responseId}`;
    switch (operation) {
      case "get survey list":
        return { name: "surveys", told: "reads the survey list", answer: surveyList };
      case "get survey":
        return { name: "definition", told: `reads the definition of ${surveyId}`, answer: () => definition(surveyId) };
      case "get survey responses, page and order": {
        const told = `reads page ${number} ${order} of ${surveyId}`;
        return { name: "page", told, answer: () => page(surveyId, number, order) };
      }
      case "get survey response by id": {
        const answer = (): ServiceAnswer => {
          watch.single(responseId);
          return single(surveyId, responseId);
        };
        return { name: "response", told: `reads response ${of}`, answer };
      }
      case "get metric, single response":
      case "get response metadata": {
        const kind = operation === "get response metadata" ? "metadata" : "metrics";
        watch.asked(kind, responseId);
        const response = world.responses.get(responseId);
        if (response !== undefined) response.askedAt ??= scheduler.now();
        return { name: kind, told: `${kind} of ${of}`, answer: () => detail(kind, surveyId, responseId) };
      }
      default:
        throw new RangeError(`no such operation in a history: ${operation}`);
    }
  };
}

interface Parameters {
  surveyId: number;
  responseId: number;
  page: number;
  order: "asc" | "desc";
}

/** Whether responses stand in another order. */
function isOtherwise(one: readonly Json[], other: readonly Json[]): boolean {
  return one.some(({ responseId }, i) => responseId !== other[i]?.responseId);
}

function stateOf({ presentFrom, failsUntil }: Detail, now: number): "found" | "absent" | "failed" {
  if (now < failsUntil) return "failed";
  return now < presentFrom ? "absent" : "found";
}

function nothingOf(responseId: number): ServiceAnswer {
  return NOTHING[responseId % NOTHING.length] ?? NOT_FOUND;
}

/** Some services answer with an error body in the place of an error. */
function failedDetail(responseId: number): ServiceAnswer {
  if (responseId % 3 === 0) return ERROR_BODY;
  throw failure(responseId);
}

/** The copy of the list whose turn it is. */
function modelInTurn(survey: SimSurvey): Model {
  if (survey.copy === undefined) return survey.model;
  survey.isCopysTurn = !survey.isCopysTurn;
  return survey.isCopysTurn ? survey.model : survey.copy;
}

interface ModelAnswer {
  status: number;
  body?: unknown;
}

/** A page by what is listed there, and by what it is answered with; undefined past the end. */
function cutOf(
  { records, before, behind }: ReturnType<Model["peek"]>,
  { status, body }: ModelAnswer,
): CutPage | undefined {
  if (records.length > 0) return { records, before, behind, isAgain: false };
  const again = status === 200 ? (body as Json[]) : [];
  return again.length === 0 ? undefined : { records: again, before: undefined, behind: undefined, isAgain: true };
}

/** What the service says of one response. */
function bodyOf(operation: "response" | "metrics" | "metadata", { id, survey }: SimResponse): unknown {
  const parameters = { survey: String(survey.id), response: String(id) };
  return (survey.model.answer({ operation, parameters }) as ModelAnswer).body;
}

/** Metrics without the map or list around them. */
const bare = (body: unknown): unknown => (body as object[]).flatMap((metrics) => Object.values(metrics));

/** The records in which operation 9 shows a response, by what it is like for the survey. */
function singleOf({ traits }: SimSurvey, records: readonly Json[]): unknown {
  switch (traits.single) {
    case "more":
      return [...records, { ...records[0], questionId: EXTRA_QUESTION, answer: [], comment: "", score: null }];
    case "fewer":
      return records.slice(0, 1);
    case "bare":
      return records.map(({ responseId, questionId, answer, comment, score, matrixScore }) => ({
        responseId,
        questionId,
        answer,
        comment,
        score,
        matrixScore,
      }));
    default:
      return records;
  }
}

/** What a service answers behind the end of a list that it knows no better answer for. */
function fault(surveyId: number): ServiceAnswer {
  if (surveyId % 2 !== 0) return ok({ error: "no such page" });
  throw new ServerError("the service failed", { operation: "get survey responses, page and order", status: 500 });
}

function failure(responseId: number): Error {
  const operation = "get survey response by id";
  return responseId % 2 === 0
    ? new ServerError("the service failed", { operation, status: 500 })
    : new NetworkError("the connection broke", { operation });
}
