import { isObject } from "../json.ts";
import { type Documents, documents, type Shown } from "./bodies/documents.ts";
import { readReports, readSingleResponse } from "./bodies/not-shown.ts";
import { asEntries, documented, elementsOf, notShown, type ReadBody } from "./bodies/read-body.ts";
import { type Asked, aboutAsked, saysNothing } from "./bodies/subject.ts";
import { BadRequestError, NotAllowedError, NotFoundError, UnreadableBodyError } from "./errors.ts";
import type { BodyStream } from "./http/transport.ts";
import { streamedList } from "./lists/streamed-list.ts";
import { type DataOperation, type ParametersOf, pathOf } from "./operations.ts";
import type { CallOptions, SingleResponse, SurveyApi, V2Answer } from "./survey-api.ts";
import type { Authorized } from "./token/authorized.ts";

/** The functions of a client that ask for data. */
export type Calls = Omit<SurveyApi, "token" | "renewToken" | "learned" | "learn" | "pauseUntil" | "close">;

export interface CallsOptions {
  strict: boolean;
  maxBodyBytes: number;
}

type BodyOf<O extends keyof Documents> = Documents[O] extends Shown<infer T> ? T : never;

/** Every data operation as a function, over `send`, which makes the request. */
export function createCalls(send: Authorized, { strict, maxBodyBytes }: CallsOptions): Calls {
  const call = createCall(send);
  const shown = <O extends keyof Documents>(operation: O, asked: Asked): ReadBody<BodyOf<O>> =>
    judged(asked, documented(documents[operation] as Shown<BodyOf<O>>, strict));
  const get = <O extends keyof Documents>(operation: O, asked: ParametersOf<O>, given?: CallOptions) =>
    call(operation, asked, shown(operation, asked), given);
  const getAsV3 = <O extends keyof Documents>(operation: O, asked: ParametersOf<O>, given?: CallOptions) =>
    call(operation, asked, asV3(shown(operation, asked)), given);

  return {
    surveys: (given) => get("get survey list", {}, given),
    survey: (surveyId, given) => call("get survey", { surveyId }, oneThing(shown("get survey", { surveyId })), given),
    questions: (surveyId, given) => get("get survey questions", { surveyId }, given),
    reports: (surveyId, given) => call("get reports list", { surveyId }, judged({}, notShown(readReports)), given),
    records(surveyId, { page, order, ...given } = {}) {
      if (order !== undefined)
        return get("get survey responses, page and order", { surveyId, page: page ?? 1, order }, given);
      if (page !== undefined) return get("get survey responses, page", { surveyId, page }, given);
      return get("get survey responses", { surveyId }, given);
    },
    response: (surveyId, responseId, given) => {
      const asked = { surveyId, responseId };
      return call("get survey response by id", asked, oneThing(oneResponse(asked)), given);
    },
    responseByCrk: (surveyId, crk, given) =>
      call("get survey response by crk", { surveyId, crk }, oneThing(oneResponse({ surveyId })), given),
    metrics: (surveyId, responseId, given) => get("get metric, single response", { surveyId, responseId }, given),
    reportMetrics: (surveyId, reportId, given) => get("get metric, report", { surveyId, reportId }, given),
    metadata: (surveyId, responseId, given) => get("get response metadata", { surveyId, responseId }, given),
    v2: {
      surveys: (given) => getAsV3("v2 survey list", {}, given),
      survey: (surveyId, given) => getAsV3("v2 survey", { surveyId }, given),
      questions: (surveyId, given) => getAsV3("v2 questions", { surveyId }, given),
      records: (surveyId, { page, ...given } = {}) =>
        page === undefined
          ? getAsV3("v2 responses", { surveyId }, given)
          : getAsV3("v2 responses, page", { surveyId, page }, given),
      response: (surveyId, responseId, given) => {
        const asked = { surveyId, responseId };
        return call("v2 response by id", asked, oneV2Response(asked), given);
      },
      responseByCrk: (surveyId, crk, given) =>
        call("v2 response by crk", { surveyId, crk }, oneV2Response({ surveyId }), given),
      metadata: (surveyId, responseId, given) => getAsV3("v2 response metadata", { surveyId, responseId }, given),
    },
    request: (path, given) => call("request", { path }, asRead, given),
    read: (operation, parameters, given) => call(operation, parameters, asRead, given),
    elements<O extends DataOperation, T>(
      operation: O,
      parameters: ParametersOf<O>,
      { each, ...given }: CallOptions & { each?: (element: unknown) => T } = {},
    ): Promise<T[]> {
      const list = judged(parameters, elementsOf(operation));
      // Without `each` its elements are what they are.
      if (each === undefined) return call(operation, parameters, list as ReadBody<T[]>, given);
      const readBody: ReadBody<T[]> = (body, about) => list(body, about).map(each);
      // What names a survey is judged as a whole.
      const stream = "surveyId" in parameters ? undefined : () => streamedList(each, maxBodyBytes);
      return call(operation, parameters, readBody, given, stream);
    },
    entries: (operation, parameters, given) => call(operation, parameters, judged({}, asEntries(operation)), given),
  };
}

const IS_THERE = "Is there such a thing on this account?";

/** Makes the request of one operation, and gives what `readBody` makes of its answer. Statuses other than 200 and 204 become errors. */
function createCall(send: Authorized) {
  return async <O extends DataOperation, T>(
    operation: O,
    parameters: ParametersOf<O>,
    readBody: ReadBody<T>,
    { signal, priority = "news" }: CallOptions = {},
    stream?: () => BodyStream<T>,
  ): Promise<T> => {
    // Before a token is asked for: what no path can hold, and who does not wait any more.
    pathOf(operation, parameters);
    signal?.throwIfAborted();
    const request = { operation, parameters, priority, signal, readBody };
    const answer = await send(stream === undefined ? request : { ...request, stream });
    const about = { operation, status: answer.status, attempts: answer.attempts };
    if (answer.status === 200) return answer.value;
    if (answer.status === 204) return readBody(null, about);
    if (answer.status === 404) throw new NotFoundError("not found (404)", { ...about, hint: IS_THERE });
    if (answer.status === 400) {
      const hint = "The token is good: check what was asked for.";
      throw new BadRequestError("bad request (400)", { ...about, hint });
    }
    const hint = "Ask the service's operator what this account may read.";
    throw new NotAllowedError("the service does not let this account read it (401)", { ...about, hint });
  };
}

const asRead: ReadBody<unknown> = (body) => body;

/** Reads of a body what is about what was asked for; one that says nothing is read as `null`, which is what 204 says. */
function judged<T>(asked: Asked, readBody: ReadBody<T>): ReadBody<T> {
  return (body, about) => readBody(saysNothing(body) ? null : aboutAsked(body, asked, about), about);
}

/** Reads the one thing that was asked for. Where nothing is said of it, it is not there. */
function oneThing<T>(readBody: ReadBody<T>): ReadBody<T> {
  return (body, about) => {
    if (!saysNothing(body)) return readBody(body, about);
    throw new NotFoundError(`nothing is there (${about.status})`, { ...about, hint: IS_THERE });
  };
}

function oneResponse(asked: Asked): ReadBody<SingleResponse> {
  return (raw, about) => ({ ...notShown((body) => readSingleResponse(body, asked, about))(raw, about), raw });
}

function oneV2Response(asked: Asked): ReadBody<V2Answer<Omit<SingleResponse, "raw">>> {
  return (raw, about) => ({ value: readSingleResponse(raw, asked, about), raw });
}

/** Reads a v2 body as v3 reads one: under one usual name, or as it is. What wraps it may have an id as well. */
function asV3<T>(readBody: ReadBody<T>): ReadBody<V2Answer<T>> {
  return (raw, about) => {
    const wrapped = ["data", "result"].flatMap((name) =>
      isObject(raw) && Object.hasOwn(raw, name) ? [raw[name]] : [],
    );
    for (const body of [...wrapped, raw]) {
      try {
        return { value: readBody(body, about), raw };
      } catch (error) {
        if (!(error instanceof UnreadableBodyError)) throw error;
      }
    }
    return { value: undefined, raw };
  };
}
