import type { DetailRead, SurveyService } from "../../lib/polling/ports.ts";
import { shownCounts } from "../../test/simulation/service/counts.ts";
import { metadataOf, metricsOf, singleOf } from "../../test/simulation/service/details.ts";
import { insert, pageOf, recordsNow, remove } from "../../test/simulation/service/listing.ts";
import { recordsOf } from "../../test/simulation/service/records.ts";
import type { SimResponse, SimSurvey, Traits } from "../../test/simulation/service/survey-model.ts";

// The survey service of the simulation, without its faults: it answers at once, and changes between ticks only.

export const UTC = { offset: 0, offsetAfter: 0, changesAt: 0 };

/** As the API document shows the service, and as plain as it can be. */
const plainTraits: Traits = {
  sortKey: "responseId",
  layout: "contiguous",
  stableDesc: false,
  listsOpen: true,
  openDate: "zeros",
  pastEnd: "empty",
  shortPages: false,
  tinyPages: false,
  counts: "right",
  countLag: 0,
  single: "right",
  answers: [5, 5],
  twins: false,
  ties: "none",
  replicas: false,
  volatile: "none",
  metricsAs: "map",
  metadataAs: "one",
  namesItself: true,
};

/** Records of a response, unless said otherwise. */
export const RECORDS = 5;

export interface Service {
  surveys: Map<number, SimSurvey>;
  responses: Map<number, SimResponse>;
}

export function createSurvey(id: number, traits: Partial<Traits> = {}): SimSurvey {
  return {
    id,
    now: Date.now,
    createdAt: 0,
    oddCreated: false,
    traits: { ...plainTraits, ...traits },
    words: { base: 0, evidence: "told", isHtml: false, editedEvery: Infinity, fails: undefined },
    responses: [],
    listed: [],
    orphans: [],
    flat: undefined,
    flatDesc: undefined,
    past: [],
    isCopysTurn: false,
    counted: { started: 0, completed: 0 },
    shown: { started: 0, completed: 0 },
    hidden: false,
    gone: false,
    goneFrom: 0,
    goneTo: 0,
    failsFrom: Infinity,
    emptyAt: 0,
    shownApartAt: Infinity,
    firstReadAt: undefined,
  };
}

/** A service that goes on as this one is, apart from it: only what is completed never changes again. */
export function copyService({ surveys, responses }: Service): Service {
  const copies = new Map<SimResponse, SimResponse>();
  const copyOf = (response: SimResponse): SimResponse => {
    if (response.completedAt !== undefined) return response;
    const copy = copies.get(response) ?? { ...response, versions: response.versions.slice() };
    copies.set(response, copy);
    return copy;
  };
  return {
    surveys: new Map(
      [...surveys].map(([id, survey]) => [
        id,
        { ...survey, traits: { ...survey.traits }, listed: survey.listed.map(copyOf), shown: { ...survey.shown } },
      ]),
    ),
    responses: new Map([...responses].map(([id, response]) => [id, copyOf(response)])),
  };
}

/** A response that was begun at `startedAt` (epoch milliseconds), in no list yet. */
export function createResponse(survey: SimSurvey, id: number, startedAt: number, answers = RECORDS): SimResponse {
  const there = { presentFrom: -Infinity, failsUntil: -Infinity };
  return {
    id,
    survey,
    startedAt,
    endedAt: undefined,
    completedAt: undefined,
    removedAt: undefined,
    answers,
    odd: undefined,
    edition: 0,
    versions: [],
    single: there,
    metrics: there,
    metadata: there,
    sortKey: 0,
    listed: false,
    listedFrom: undefined,
    noticed: undefined,
  };
}

/** Lists a response as open. No count shows it, unless counts are of starts. */
export function listOpen(service: Service, response: SimResponse, at: number): void {
  const survey = ownSurvey(service, response);
  service.responses.set(response.id, response);
  response.versions.push({ from: at, state: "open", records: recordsOf(response, "open", UTC, 0) });
  insert(survey, response, UTC);
  survey.shown.started += 1;
}

/** Completes a response, listed as open or not; `counted` when the survey list shows it. */
export function complete(service: Service, response: SimResponse, at: number, counted: boolean): void {
  const survey = ownSurvey(service, response);
  if (response.listed) remove(survey, response);
  else if (counted) survey.shown.started += 1;
  service.responses.set(response.id, response);
  response.endedAt = at;
  response.completedAt = at;
  response.versions.push({ from: at, state: "completed", records: recordsOf(response, "completed", UTC, 0) });
  insert(survey, response, UTC);
  if (counted) survey.shown.completed += 1;
}

function ownSurvey({ surveys }: Service, { survey }: SimResponse): SimSurvey {
  const own = surveys.get(survey.id);
  if (own === undefined) throw new RangeError(`there is no survey ${survey.id}`);
  return own;
}

export type Operation = keyof SurveyService;

/** The port; `asked` is called for each request. */
export function servicePort(
  { surveys, responses }: Service,
  now: () => number,
  asked: (operation: Operation, surveyId?: number, page?: number, order?: string) => void,
): SurveyService {
  const surveyOf = (id: number): SimSurvey => {
    const survey = surveys.get(id);
    if (survey === undefined) throw new RangeError(`there is no survey ${id}`);
    return survey;
  };
  /** The port has what stands in the array of the body. */
  const detail = (responseId: number, bodyOf: (response: SimResponse) => object[]): DetailRead<object> => {
    const response = responses.get(responseId);
    const [body] = response === undefined ? [] : bodyOf(response);
    return body === undefined ? { kind: "absent" } : { kind: "found", body };
  };
  return {
    async surveys() {
      asked("surveys");
      return [...surveys.values()].map((survey) => ({
        surveyId: survey.id,
        created: 0,
        ...shownCounts(survey, now()),
      }));
    },
    async page(surveyId, page, order) {
      asked("page", surveyId, page, order);
      return { kind: "page", records: pageOf(surveyOf(surveyId), page, order)?.records.slice() ?? [] };
    },
    async response(surveyId, responseId) {
      asked("response", surveyId);
      const survey = surveyOf(surveyId);
      const response = responses.get(responseId);
      if (response === undefined || survey.traits.single === "gone") return { kind: "absent" };
      return { kind: "found", body: singleOf(survey, recordsNow(response)) };
    },
    async metrics(surveyId, responseId) {
      asked("metrics", surveyId);
      return detail(responseId, metricsOf);
    },
    async metadata(surveyId, responseId) {
      asked("metadata", surveyId);
      return detail(responseId, (response) => metadataOf(response, false));
    },
    async definition(surveyId, modified) {
      asked("definition", surveyId);
      return { modified, indexBase: "unknown", questions: {} };
    },
  };
}
