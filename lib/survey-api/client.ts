import { setTimeout as sleepFor } from "node:timers/promises";
import {
  fitting,
  metadataBody,
  metricsBody,
  questionsBody,
  readReports,
  readSingleResponse,
  readV2,
  recordsBody,
  reportMetricsBody,
  surveyBody,
  surveyListBody,
} from "./bodies/index.ts";
import { documented, elements, notShown, type ReadBody, readJson } from "./bodies/read-body.ts";
import { alone } from "./coordination.ts";
import { BadRequestError, NotAllowedError, NotFoundError } from "./errors.ts";
import { type BodyStream, createTransport } from "./http/transport.ts";
import { joinResponses } from "./lists/joined-responses.ts";
import { orNothing, type ReadPage, readPages } from "./lists/pages.ts";
import { streamedList } from "./lists/streamed-list.ts";
import { type DataOperation, type Order, type ParametersOf, pathOf } from "./operations.ts";
import { checkOptions, isLearned, type SurveyApiOptions } from "./options.ts";
import type { CallOptions, SingleResponse, SurveyApi, SurveyApiV2, V2Answer } from "./survey-api.ts";
import { createAuthorized, unlessAborted } from "./token/authorized.ts";
import { requestToken } from "./token/token-request.ts";
import { createTokens, type TokenStore } from "./token/tokens.ts";

/**
 * Makes a client of the survey service. It makes no request before it is asked to.
 *
 * @throws OptionsError when an option cannot work
 * @example
 * const api = createSurveyApi({
 *   baseUrl: "https://surveys.example.com",
 *   credentials: { clientId: "…", clientSecret: "…" },
 *   maxRequestsPerSecond: 20,
 * });
 */
export function createSurveyApi(options: SurveyApiOptions): SurveyApi {
  const now = options.now ?? Date.now;
  const coordination = options.coordination ?? alone;
  const checked = checkOptions(options);
  const transport = createTransport({
    ...checked,
    onPause: (pause) => coordination.onPause(pause),
    now,
    monotonic: options.monotonic ?? (() => performance.now()),
    sleep: options.sleep ?? ((ms, signal) => sleepFor(ms, undefined, signal === undefined ? {} : { signal })),
    random: options.random ?? Math.random,
  });
  const { credentials, strict = false } = options;
  const tokens = createTokens({
    store: options.tokenStore ?? noStore,
    request: async () => requestToken(transport, typeof credentials === "function" ? await credentials() : credentials),
    coordination,
    now,
  });
  const authorized = createAuthorized(transport, tokens);

  async function call<O extends DataOperation, T>(
    operation: O,
    parameters: ParametersOf<O>,
    readBody: ReadBody<T>,
    { signal, priority = "news" }: CallOptions = {},
    stream?: () => BodyStream<T>,
  ): Promise<T> {
    const path = pathOf(operation, parameters);
    // Before a token is asked for.
    signal?.throwIfAborted();
    const answer = await authorized<T>({
      operation,
      path,
      priority,
      signal,
      read: (text, about) => readBody(readJson(text, about), about),
      ...(stream === undefined ? {} : { stream }),
    });
    const about = { operation, status: answer.status, attempts: answer.attempts };
    switch (answer.status) {
      case 200:
        return answer.value;
      case 404:
        throw new NotFoundError("not found (404)", { ...about, hint: "Is there such a thing on this account?" });
      case 400:
        throw new BadRequestError("bad request (400)", {
          ...about,
          hint: "The token is good: check what was asked for.",
        });
      case 401: {
        const hint = "Ask the service's operator what this account may read.";
        throw new NotAllowedError("the service does not let this account read it (401)", { ...about, hint });
      }
    }
  }

  const read = {
    surveys: documented(surveyListBody, strict),
    survey: documented(surveyBody, strict),
    questions: documented(questionsBody, strict),
    reports: notShown(readReports),
    records: documented(recordsBody, strict),
    metrics: documented(metricsBody, strict),
    reportMetrics: documented(reportMetricsBody, strict),
    metadata: documented(metadataBody, strict),
  };

  const pageReader =
    (surveyId: number, given: CallOptions & { order: Order }): ReadPage =>
    (page) =>
      orNothing(page, api.records(surveyId, { page, ...given }));

  const api: Omit<SurveyApi, "v2"> = {
    token: async ({ signal } = {}) => {
      signal?.throwIfAborted();
      return unlessAborted(tokens.current(), signal);
    },
    surveys: (given) => call("get survey list", {}, read.surveys, given),
    survey: (surveyId, given) => call("get survey", { surveyId }, read.survey, given),
    questions: (surveyId, given) => call("get survey questions", { surveyId }, read.questions, given),
    reports: (surveyId, given) => call("get reports list", { surveyId }, read.reports, given),
    records(surveyId, { page, order, ...given } = {}) {
      if (order !== undefined) {
        const parameters = { surveyId, page: page ?? 1, order };
        return call("get survey responses, page and order", parameters, read.records, given);
      }
      if (page !== undefined) return call("get survey responses, page", { surveyId, page }, read.records, given);
      return call("get survey responses", { surveyId }, read.records, given);
    },
    response: (surveyId, responseId, given) =>
      call("get survey response by id", { surveyId, responseId }, notShown(oneResponse(responseId)), given),
    responseByCrk: (surveyId, crk, given) =>
      call("get survey response by crk", { surveyId, crk }, notShown(oneResponse(undefined)), given),
    metrics: (surveyId, responseId, given) =>
      call("get metric, single response", { surveyId, responseId }, read.metrics, given),
    reportMetrics: (surveyId, reportId, given) =>
      call("get metric, report", { surveyId, reportId }, read.reportMetrics, given),
    metadata: (surveyId, responseId, given) =>
      call("get response metadata", { surveyId, responseId }, read.metadata, given),
    pages: (surveyId, { order = "asc", from = 1, ...given } = {}) =>
      readPages(pageReader(surveyId, { order, ...given }), from),
    responses: (surveyId, { order = "asc", prove = true, ...given } = {}) =>
      joinResponses(pageReader(surveyId, { order, ...given }), prove),
    read: (operation, parameters, given) => call(operation, parameters, (body) => body, given),
    elements<O extends DataOperation, T>(
      operation: O,
      parameters: ParametersOf<O>,
      { each, ...given }: CallOptions & { each?: (element: unknown) => T } = {},
    ): Promise<T[]> {
      // Without `each` its elements are what they are.
      if (each === undefined) return call(operation, parameters, elements as ReadBody<T[]>, given);
      const readBody: ReadBody<T[]> = (body, about) => elements(body, about).map(each);
      return call(operation, parameters, readBody, given, () => streamedList(each, checked.maxBodyBytes));
    },
    learned: () => transport.learned(),
    learn(learned) {
      if (isLearned(learned)) transport.learn(learned);
    },
    share: (share) => transport.share(share),
    pauseUntil: (at) => transport.pause(Math.max(0, at - now())),
    close: () => transport.close(),
  };

  const asV3 =
    <T>(fit: (body: unknown) => T | undefined): ReadBody<V2Answer<T>> =>
    (body) =>
      readV2(body, fit);
  const v2: SurveyApiV2 = {
    surveys: (given) => call("v2 survey list", {}, asV3(fitting(surveyListBody)), given),
    survey: (surveyId, given) => call("v2 survey", { surveyId }, asV3(fitting(surveyBody)), given),
    questions: (surveyId, given) => call("v2 questions", { surveyId }, asV3(fitting(questionsBody)), given),
    records(surveyId, { page, ...given } = {}) {
      const fit = asV3(fitting(recordsBody));
      if (page !== undefined) return call("v2 responses, page", { surveyId, page }, fit, given);
      return call("v2 responses", { surveyId }, fit, given);
    },
    response: (surveyId, responseId, given) => {
      const fit = asV3((body) => readSingleResponse(body, responseId));
      return call("v2 response by id", { surveyId, responseId }, fit, given);
    },
    responseByCrk: (surveyId, crk, given) => {
      const fit = asV3((body) => readSingleResponse(body, undefined));
      return call("v2 response by crk", { surveyId, crk }, fit, given);
    },
    metadata: (surveyId, responseId, given) =>
      call("v2 response metadata", { surveyId, responseId }, asV3(fitting(metadataBody)), given),
  };
  return { ...api, v2 };
}

/** Each client keeps its token to itself. */
const noStore: TokenStore = { read: async () => undefined, write: async () => undefined };

function oneResponse(responseId: number | undefined): (body: unknown) => SingleResponse | undefined {
  return (raw) => {
    const found = readSingleResponse(raw, responseId);
    return found === undefined ? undefined : { ...found, raw };
  };
}
