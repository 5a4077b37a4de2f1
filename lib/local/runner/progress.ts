import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { styleText } from "node:util";
import { asCalled, BY_NPX } from "../../cli/called-as.ts";
import { lineOf } from "../../cli/hearing/event.ts";
import type { ResponseCompleted } from "../../events/index.ts";
import type { Progress } from "../../polling/index.ts";
import type { PauseEvent } from "../../survey-api/index.ts";
import type { EventEnvelope } from "../aws/index.ts";

/** The events of a survey in this run. */
export interface Emissions {
  /** Events, as the function counts them. */
  count: number;
  /** When the bus has taken the first event of each response (epoch milliseconds). */
  firstAt: Map<number, number>;
}

/** Totals of a run, counted from what the bundle publishes on its diagnostics channels. */
export interface Totals {
  requests: number;
  pages: number;
  emitted: number;
  waiting: number;
  /** Quarantined, refused by the bus, or held. */
  withheld: number;
  /** Events by source and survey. */
  bySurvey: Map<string, Map<number, Emissions>>;
}

export interface ProgressView {
  totals: Totals;
  /** A line that stays. */
  say(line: string): void;
  /** An event that the bus has taken: a line of its own on a terminal. */
  event(envelope: EventEnvelope): void;
  stop(): void;
}

/** Milliseconds between two lines, or two redraws on a terminal. */
const PLAIN_EVERY = 5_000;
const REDRAW_EVERY = 200;
/** Lines of events between two redraws. A backlog has more than anybody reads. */
const MOST_LINES = 10;
/** Milliseconds; shorter pauses are part of learning how fast the service may be asked. */
const PAUSE_WORTH_TELLING = 1_000;

/** Shows what is going on: one line that is redrawn on a terminal, plain lines otherwise. */
export function showProgress(out: NodeJS.WriteStream): ProgressView {
  const totals: Totals = { requests: 0, pages: 0, emitted: 0, waiting: 0, withheld: 0, bySurvey: new Map() };
  const terminal = out.isTTY === true;
  /** Since when, by source. */
  const operatorPauses = new Map<string, number>();
  let surveys = 0;
  let lag: number | undefined;
  let drawn = false;
  let changed = false;
  let last = { at: performance.now(), emitted: 0 };
  let rate = 0;
  let untold = 0;
  let lines = 0;

  const emissionsOf = (source: string, surveyId: number): Emissions => {
    const ofSource = totals.bySurvey.get(source) ?? new Map<number, Emissions>();
    totals.bySurvey.set(source, ofSource);
    const ofSurvey = ofSource.get(surveyId) ?? { count: 0, firstAt: new Map() };
    ofSource.set(surveyId, ofSurvey);
    return ofSurvey;
  };
  const note = (envelope: EventEnvelope): void => {
    if (envelope["detail-type"] !== "response.completed") return;
    const { meta, data } = envelope.detail as ResponseCompleted;
    const { firstAt } = emissionsOf(meta.sourceName, data.surveyId);
    if (!firstAt.has(data.responseId)) firstAt.set(data.responseId, Date.now());
  };
  const clear = (): void => {
    if (drawn) out.write("\r\u001b[K");
    drawn = false;
  };
  const say = (line: string): void => {
    clear();
    out.write(`${asCalled(line, BY_NPX)}\n`);
  };
  const status = (): string =>
    [
      `${surveys} surveys`,
      `${totals.pages} pages`,
      `${totals.emitted} responses`,
      `${rate.toFixed(1)}/s`,
      `${totals.requests} requests`,
      ...(totals.waiting > 0 ? [`${totals.waiting} had to wait`] : []),
      ...(totals.withheld > 0 ? [`${totals.withheld} withheld`] : []),
      ...(lag === undefined ? [] : [`lag ${(lag / 1000).toFixed(1)} s`]),
    ].join(", ");
  const draw = (): void => {
    if (untold > 0) say(`… and ${untold} more events`);
    untold = 0;
    lines = 0;
    if (!changed) return;
    changed = false;
    const now = performance.now();
    if (now > last.at) rate = ((totals.emitted - last.emitted) * 1000) / (now - last.at);
    last = { at: now, emitted: totals.emitted };
    if (!terminal) {
      // Until the first list is read there is nothing to tell: what fails has lines of its own.
      if (surveys === 0 && totals.pages === 0) return;
      say(status());
      return;
    }
    clear();
    out.write(status().slice(0, (out.columns || 80) - 1));
    drawn = true;
  };

  const onRequest = (): void => {
    totals.requests += 1;
    changed = true;
  };
  const count = (progress: Told): void => {
    if (progress.kind === "surveys") surveys = progress.listed;
    if (progress.kind === "page") totals.pages += 1;
    if (progress.kind === "waiting") totals.waiting += progress.count;
    if (progress.kind === "quarantined" || progress.kind === "refused") totals.withheld += 1;
    if (progress.kind === "held") totals.withheld += progress.count;
    if (progress.kind === "sent") {
      const { type, outcome, surveyId, completed } = progress.event;
      if (type !== "response.completed" || outcome !== "published") return;
      totals.emitted += 1;
      emissionsOf(progress.source, surveyId).count += 1;
      // Unknown without a time zone.
      lag = completed?.at === undefined ? undefined : Math.max(0, Date.now() - Date.parse(completed.at));
    }
  };
  /** A pause by an operator is told once, and not at each of its ticks. */
  const isTold = (progress: Told): boolean => {
    if (progress.kind !== "paused" || progress.since === undefined) return false;
    const before = operatorPauses.get(progress.source);
    operatorPauses.set(progress.source, progress.since);
    return before === progress.since;
  };
  const onProgress = (message: unknown): void => {
    const progress = message as Told;
    changed = true;
    count(progress);
    const line = lineAbout(progress);
    if (line !== undefined && !isTold(progress)) say(line);
  };
  const onPause = (message: unknown): void => {
    const { duration } = message as PauseEvent;
    if (duration >= PAUSE_WORTH_TELLING) {
      say(`the survey service limits the rate: nothing is asked of it for ${(duration / 1000).toFixed(1)} s`);
    }
  };
  const heard = { request: onRequest, pause: onPause, progress: onProgress };
  for (const [name, on] of Object.entries(heard)) subscribe(`survey-poller:${name}`, on);
  const timer = setInterval(draw, terminal ? REDRAW_EVERY : PLAIN_EVERY);
  timer.unref();
  return {
    totals,
    say,
    event(envelope) {
      note(envelope);
      if (!terminal) return;
      if (lines < MOST_LINES)
        say(lineOf(envelope, { now: Date.now, style: (style, text) => styleText(style, text, { stream: out }) }));
      else untold += 1;
      lines += 1;
    },
    stop() {
      clearInterval(timer);
      for (const [name, on] of Object.entries(heard)) unsubscribe(`survey-poller:${name}`, on);
      clear();
    },
  };
}

type Told = Progress & { source: string };

/** The line about what a person may want to know of; undefined for what only counts. */
function lineAbout(progress: Told): string | undefined {
  switch (progress.kind) {
    case "paused":
      return progress.since === undefined
        ? `the survey service asked to be left alone until ${new Date(progress.until).toISOString()}`
        : `source ${progress.source} is paused by an operator: survey-poller resume`;
    case "quarantined": {
      const which = progress.responseId === undefined ? "a record" : `response ${progress.responseId}`;
      return `survey ${progress.surveyId}: ${which} is quarantined: ${progress.reason}`;
    }
    case "refused":
      return `survey ${progress.surveyId}: the bus has refused response ${progress.responseId} for good: ${progress.code}`;
    case "held":
      return `survey ${progress.surveyId}: ${progress.count} responses are held: nothing proves their contents`;
    case "start awaited":
      return `it is not known yet where history begins: of survey ${progress.unanswered.join(", ")} more is counted than is shown; looked at again`;
    case "unreadable surveys":
      return `${progress.count} rows of the survey list have no surveyId that can be read: which surveys they are is not known`;
    case "survey failed":
      return `survey ${progress.surveyId}: ${progress.message} (${progress.code}); tried again at the next tick`;
  }
  return undefined;
}
