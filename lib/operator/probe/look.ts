import { describeFailure } from "../../monitoring/log.ts";
import type { Selection } from "../../polling/model/source.ts";
import { type Order, type SurveyApi, SurveyApiError } from "../../survey-api/index.ts";
import type { PageAnswer } from "./end-of-list.ts";
import { pageOf } from "./listed.ts";
import type { CheckLine, Finding } from "./report.ts";
import type { Watch } from "./watch.ts";

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

/** The findings so far, and how to go on. */
export interface Look extends ProbeOptions {
  watching: Watch;
  checks: CheckLine[];
  findings: Finding[];
  surveyId: number | null;
  zone: string | undefined;
  zones: string[];
  /** Does one part, which becomes a check; undefined where it has failed. */
  part<T>(check: string, work: () => Promise<{ says: string; value: T; warns?: string }>): Promise<T | undefined>;
  page(surveyId: number, order: Order, page: number): Promise<PageAnswer>;
}

export function lookWith(options: ProbeOptions, watching: Watch): Look {
  const { api, now, signal } = options;
  const given = signal === undefined ? {} : { signal };
  const checks: CheckLine[] = [];
  return {
    ...options,
    watching,
    checks,
    findings: [],
    surveyId: null,
    zone: undefined,
    zones: [],
    async part(check, work) {
      try {
        const { says, value, warns } = await work();
        checks.push({ check, state: warns === undefined ? "ok" : "warn", says, todo: warns ?? null, code: null });
        return value;
      } catch (error) {
        const { code, message, hint } = describeFailure(error);
        checks.push({ check, state: "fail", says: message, todo: hint, code });
        if (ENDS.test(code)) throw new Ended();
        return undefined;
      }
    },
    async page(surveyId, order, page) {
      try {
        const elements = await api.elements(PAGE, { surveyId, page, order }, given);
        if (elements.length > 0) return { kind: "page", page: pageOf(elements, now()) };
        return { kind: "none", answer: watching.lastStatus(PAGE) === 204 ? "204" : "an empty page" };
      } catch (error) {
        const isAnswer = error instanceof SurveyApiError && error.operation === PAGE && (error.status ?? 0) >= 400;
        if (page === 1 || !isAnswer || error.status === 429) throw error;
        return { kind: "none", answer: String(error.status) };
      }
    },
  };
}

/** The options that each call takes. */
export const signalOf = ({ signal }: Look) => (signal === undefined ? {} : { signal });
