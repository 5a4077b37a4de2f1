import type { Model } from "../../../lib/local/simulator/model.ts";
import { mix } from "../engine/random.ts";
import type { SurveyPlan, WordsPlan } from "../plan/surveys.ts";
import type { OddRecord } from "./odd-records.ts";

export type Json = Readonly<Record<string, unknown>>;

/** What a response is from a moment on. */
export interface Version {
  /** Epoch milliseconds. */
  from: number;
  state: "open" | "completed" | "unreadable";
  records: readonly Json[];
  /** Metrics of the response, once it is completed. */
  metrics: readonly Json[];
}

/** Whether one of the single-response operations has something: not before a moment, failing before a moment. */
export interface Detail {
  /** Epoch milliseconds from which it is there; Infinity: never. */
  presentFrom: number;
  /** Epoch milliseconds until which asking fails; Infinity: for ever. */
  failsUntil: number;
  /** Whether it fails because no answer ever comes. */
  hangs?: boolean;
}

export interface SimResponse {
  id: number;
  survey: SimSurvey;
  /** Epoch milliseconds. */
  startedAt: number;
  /** When it was finished, whether or not its records said so readably. */
  endedAt?: number;
  /** When it was first readable as completed. */
  completedAt?: number;
  removedAt?: number;
  answers: number;
  odd: OddRecord | undefined;
  /** Records that it has got since it was finished. */
  grown: number;
  /** Newest last. */
  versions: Version[];
  single: Detail;
  metrics: Detail;
  metadata: Detail;
  /** Its address, once it is completed. */
  ip?: string;
  /** Epoch milliseconds from which it has been in the list, in whatever state. */
  listedFrom?: number;
  /** Whether a page was read that showed it open. */
  shownOpen?: boolean;
  /** Epoch milliseconds from which on the poller has that from its page, and not only looked at the page. */
  readOpenAt?: number;
  /** Epoch milliseconds at which its metrics or metadata were asked for first. */
  askedAt?: number;
  noticed?: Noticed;
}

/** How a completion could be noticed when it happened. */
export interface Noticed {
  /** All its records are on the first desc page. */
  atHead: boolean;
  /** It was not listed before, and is what desc pages begin with. */
  isFirst: boolean;
  counted: boolean;
  listedOpenSince: number | undefined;
}

/** How the service behaves for one survey. A flip changes it in mid-history. */
export interface Traits {
  sortKey: "responseId" | "dateStart" | "dateCompleted" | "hash" | "reversed";
  layout: "contiguous" | "interleaved" | "scattered";
  /** In desc order the records of one response stand as in asc order. */
  stableDesc: boolean;
  listsOpen: boolean;
  openDate: "null" | "empty" | "zeros" | "start";
  pastEnd: "empty" | "no-content" | "not-found" | "bad-request" | "repeat" | "fault";
  shortPages: boolean;
  counts: "right" | "lagging" | "frozen" | "starts" | "one" | "lying" | "odd";
  /** Milliseconds. */
  countLag: number;
  single: "right" | "gone" | "more" | "fewer" | "bare" | "failing" | "not-open";
  /** Records of a response: least and most. */
  answers: [number, number];
  twins: boolean;
  /** What ties on the sort key, and so stands in another order at each read of a page: records of a response, whole responses. */
  ties: "none" | "records" | "responses" | "both";
  /** Two copies of the list answer in turn, and one of them is behind. */
  replicas: boolean;
  /** What reads differently each time in records that have not changed. */
  volatile: "none" | "undocumented" | "comment" | "order";
  /** In what shape operation 11 gives metrics: by key, or as a list in the place of the map or of the array around it. */
  metricsAs: "map" | "list" | "bare";
  /** What operation 13 lists: the metadata of the response, that of another one before it, or metadata that name none. */
  metadataAs: "one" | "several" | "anonymous";
  /** Whether records say of which survey they are. */
  namesItself: boolean;
}

/** What the survey list and the definition say of a survey from a moment on (epoch milliseconds). */
interface Edition {
  from: number;
  facts: Json;
  definition: Definition;
}

/** The part of a definition that is of interest here. */
interface Definition {
  questionsById: Record<string, { questionId: number; params: { question: string; answers: string[] } }>;
}

export interface SimSurvey {
  id: number;
  plan: SurveyPlan;
  /** The service's own knowledge of it. */
  model: Model;
  /** Another copy of it that is behind, and answers for every second page. */
  copy?: Model;
  isCopysTurn: boolean;
  /** As they are by now. */
  traits: Traits;
  words: WordsPlan;
  responses: SimResponse[];
  /** Records in the list that belong to no response. */
  orphans: number;
  /** Oldest first. */
  editions: Edition[];
  /** Out of the survey list; and 404 for everything under it. */
  hidden: boolean;
  gone: boolean;
  /** Epoch milliseconds at which it was gone, and was back. */
  goneFrom: number;
  goneTo: number;
  /** The first of its pages that fail, as all behind it do, whatever the list holds. */
  failsFrom: number;
  /** Epoch milliseconds of the last page that was empty by mistake. */
  emptyAt: number;
  /** Epoch milliseconds of the first page that was read of it. */
  firstReadAt?: number;
}

/** Whether the list holds it, in whatever state. */
export function isListed({ survey, endedAt, removedAt }: SimResponse): boolean {
  return removedAt === undefined && (endedAt !== undefined || survey.traits.listsOpen);
}

export function listedOf({ responses }: SimSurvey): SimResponse[] {
  return responses.filter(isListed);
}

/** All records of a survey, as desc order has them. */
export function listedRecords({ model, id }: SimSurvey): Json[] {
  const all: Json[] = [];
  for (let page = 1; ; page += 1) {
    const { records, behind } = model.peek(id, page, "desc");
    all.push(...records);
    if (behind === undefined) return all;
  }
}

/** Milliseconds by which the copy of a list is behind. */
export const BEHIND = 20_000;

/** Question number of what operation 9 lists and pages never do. */
export const EXTRA_QUESTION = 900_001;

/** Most records of a page, and of the shortest of short ones. */
export const PAGE = 100;

/** Records that a page holds at least, if it is not the last one. */
export const leastPage = ({ shortPages }: Pick<Traits, "shortPages">): number => (shortPages ? 40 : PAGE);

/** A page as the list is cut, with the records before and behind it. */
export interface CutPage {
  records: readonly Json[];
  before: Json | undefined;
  behind: Json | undefined;
  /** Whether it is the last page, given again for one behind it. */
  isAgain: boolean;
}

/** How often a survey was edited until a moment (epoch milliseconds). */
export function editionAt({ editions }: SimSurvey, at: number): number {
  return Math.max(
    0,
    editions.findLastIndex(({ from }) => from <= at),
  );
}

/** The edition that a question or a label is of. */
export function editionOf(text: string): number {
  const [, next = 1] = / \((\d+)\)$/.exec(text) ?? [];
  return Number(next) - 1;
}

/** The element of the survey list: its language is not always known. */
export function listedItem({ id, model }: SimSurvey): Json {
  const answer = model.answer({ operation: "surveys", parameters: {} });
  const [item] = (answer as { body: [Json] }).body;
  return id % 3 === 0 ? { ...item, languageId: null } : item;
}

/** A survey as its service has it from now on: one question in twelve is taken out of each edition. */
export function editionNow(survey: SimSurvey, from: number): Edition {
  const { id, model, editions } = survey;
  const { name, modified, languageId } = listedItem(survey);
  const answer = model.answer({ operation: "survey", parameters: { survey: String(id) } });
  const [definition] = (answer as { body: [Definition] }).body;
  const left = Object.entries(definition.questionsById).filter(
    ([questionId]) => mix(mix(id, editions.length), Number(questionId)) % 12 > 0,
  );
  return {
    from,
    facts: { name, modified, languageId },
    definition: { ...definition, questionsById: Object.fromEntries(left) },
  };
}

/** The definition by now, in HTML or not, and with more or less said of how choices are numbered. */
export function definitionShown({ words, editions }: SimSurvey): object {
  const { evidence, isHtml, base } = words;
  const shown = (text: string): string => (isHtml ? inHtml(text) : text);
  const { definition } = editions.at(-1) as Edition;
  const questions = Object.values(definition.questionsById).map((question, place) => {
    const { question: text, answers } = question.params;
    const first = evidence === "contradictory" ? place % 2 : base;
    const scores = Object.fromEntries(answers.map((_, choice) => [String(choice + first), String(choice)]));
    const params = {
      ...question.params,
      question: shown(text),
      answers: answers.map(shown),
      scoreArray: evidence === "untold" ? [] : { ...scores, max: String(Math.max(0, answers.length - 1)) },
    };
    return { ...question, params };
  });
  return { ...definition, questionsById: Object.fromEntries(questions.map((one) => [one.questionId, one])) };
}

function inHtml(text: string): string {
  const [first = "", ...rest] = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").split(" ");
  return `<p><b>${first}</b>${rest.map((word) => `&nbsp;${word}`).join("")}<br></p>`;
}
