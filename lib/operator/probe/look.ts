import { describeFailure } from "../../monitoring/log.ts";
import { type Page, type Selection, toPage } from "../../polling/index.ts";
import {
  type Operation,
  type Order,
  type PauseEvent,
  pauseChannel,
  type RequestEvent,
  requestChannel,
  type SurveyApi,
  SurveyApiError,
} from "../../survey-api/index.ts";

/** Questions that the API document leaves open, and that a look at the service can answer. */
export const QUESTIONS = [
  "token shape",
  "tokens at once",
  "records together",
  "sort key",
  "order",
  "open responses",
  "past the end",
  "count responses",
  "count correct",
  "count unpaidResponses",
  "zone of dates",
  "index base",
  "operation 9",
  "Retry-After",
] as const;

export type Question = (typeof QUESTIONS)[number];

export interface Finding {
  question: Question;
  /** In one word or two; null where the sample cannot tell. */
  found: string | null;
  says: string;
}

export interface CheckLine {
  check: string;
  state: "ok" | "warn" | "fail";
  says: string;
  /** Advice; null where all is well. */
  todo: string | null;
  /** Of the error that was met. */
  code: string | null;
}

export function ok(check: string, says: string): CheckLine {
  return { check, state: "ok", says, todo: null, code: null };
}

export function warn(check: string, says: string, todo: string): CheckLine {
  return { check, state: "warn", says, todo, code: null };
}

export function fail(check: string, says: string, todo: string, code: string | null = null): CheckLine {
  return { check, state: "fail", says, todo, code };
}

/** The findings of a look at a survey service. No answer, no name of a survey and no token is in it. */
export interface ProbeReport {
  checks: CheckLine[];
  findings: Finding[];
  /** Fields of the source's configuration, and what else is to be known. */
  suggests: { config: Record<string, unknown>; notes: string[] };
  /** IANA time zones that its dates may be in; none where that is not seen. */
  zones: string[];
  /** Made for it, the token's and repeated ones included. */
  requests: number;
  /** The survey that was looked at. */
  surveyId: number | null;
}

/** The finding where nothing can be told. */
export const notSeen = (question: Question, why: string): Finding => ({
  question,
  found: null,
  says: `not seen: ${why}`,
});

/** One read of a page: what it holds, or what was answered in its place. */
export type PageAnswer = { kind: "page"; page: Page } | { kind: "none"; answer: string };

export interface ProbeOptions {
  api: SurveyApi;
  /**
   * A second client with the same credentials: then both ask for tokens of their own, to see what becomes of the first one. Without it the token
   * that is kept is used.
   */
  another?: SurveyApi;
  /** The surveys that are polled, where a poller does: no other is looked at. */
  surveys?: Selection;
  /** The details that events have; all of them without it. */
  enrich?: { metrics: boolean; metadata: boolean };
  /** The zone that is configured, where one is. */
  timeZone?: string | undefined;
  /** Ends all requests. */
  signal?: AbortSignal;
  now: () => number;
}

/** A row of the survey list. */
export type Row = Record<string, unknown> & { surveyId: number };

export const PAGE = "get survey responses, page and order";

/** After these nothing else is asked: it would fail alike, or the service wants to be left alone. */
const ENDS = /^(CREDENTIALS_\w+|WRONG_(CREDENTIALS|TOKEN)|TOO_MANY_\w+|UNREACHABLE|TIMEOUT|OUT_OF_TIME|CANCELLED)$/;

/** Nothing more is asked; the check that has failed says why. */
export class Ended extends Error {}

/** The requests that the client of this process makes meanwhile. */
export interface Watch {
  requests: number;
  /** Pauses that the service asked for, and those where it only refused. */
  pauses: { asked: number; refused: number };
  /** HTTP status of the last answer to an operation. */
  statuses: Map<Operation, number | undefined>;
}

/** Watches while something is done. */
export async function watching(work: (watch: Watch) => Promise<void>): Promise<Watch> {
  const watch: Watch = { requests: 0, pauses: { asked: 0, refused: 0 }, statuses: new Map() };
  const onRequest = (event: unknown): void => {
    const { operation, status } = event as RequestEvent;
    watch.requests += 1;
    watch.statuses.set(operation, status);
  };
  const onPause = (event: unknown): void => {
    watch.pauses[(event as PauseEvent).asked ? "asked" : "refused"] += 1;
  };
  requestChannel.subscribe(onRequest);
  pauseChannel.subscribe(onPause);
  try {
    await work(watch);
    return watch;
  } finally {
    requestChannel.unsubscribe(onRequest);
    pauseChannel.unsubscribe(onPause);
  }
}

/** The outcome of a part, for its check. */
export interface Part<T> {
  says: string;
  value: T;
  warns?: string;
}

/** A look at a service: what it has found so far. */
export class Look {
  readonly checks: CheckLine[] = [];
  readonly findings: Finding[] = [];
  surveyId: number | null = null;
  zone: string | undefined;
  zones: string[] = [];
  readonly options: ProbeOptions;
  private readonly watch: Watch;
  constructor(options: ProbeOptions, watch: Watch) {
    this.options = options;
    this.watch = watch;
  }

  get api(): SurveyApi {
    return this.options.api;
  }

  /** The options that each call takes. */
  get signal(): { signal?: AbortSignal } {
    const { signal } = this.options;
    return signal === undefined ? {} : { signal };
  }

  /** Does one part, which becomes a check; undefined where it has failed. */
  async part<T>(check: string, work: () => Promise<Part<T>>): Promise<T | undefined> {
    try {
      const { says, value, warns } = await work();
      this.checks.push(warns === undefined ? ok(check, says) : warn(check, says, warns));
      return value;
    } catch (error) {
      const { code, message, hint } = describeFailure(error);
      this.checks.push(fail(check, message, hint, code));
      if (ENDS.test(code)) throw new Ended();
      return undefined;
    }
  }

  async page(surveyId: number, order: Order, number: number): Promise<PageAnswer> {
    try {
      const records = await this.api.elements(PAGE, { surveyId, page: number, order }, this.signal);
      const page = toPage(number, { kind: "page", records: [...records] });
      if (page !== undefined) return { kind: "page", page };
      return { kind: "none", answer: this.watch.statuses.get(PAGE) === 204 ? "204" : "an empty page" };
    } catch (error) {
      const isAnswer = error instanceof SurveyApiError && error.operation === PAGE && (error.status ?? 0) >= 400;
      if (number === 1 || !isAnswer || error.status === 429) throw error;
      return { kind: "none", answer: String(error.status) };
    }
  }
}
