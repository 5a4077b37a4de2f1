import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { styleText } from "node:util";
import { asCalled, BY_NPX } from "../../cli/called-as.ts";
import { lineOf } from "../../cli/hearing/event.ts";
import { nextCommand } from "../../cli/words.ts";
import type { ResponseCompleted } from "../../events/index.ts";
import type { Progress } from "../../polling/index.ts";
import type { PauseEvent } from "../../survey-api/index.ts";
import type { EventEnvelope } from "../aws/index.ts";

/** The events of a survey in this run. */
export interface Emissions {
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

export type ProgressView = ReturnType<typeof showProgress>;

/** Milliseconds between two lines, or two redraws on a terminal. */
const PLAIN_EVERY = 5_000;
const REDRAW_EVERY = 200;
/** Lines of events between two redraws. A backlog has more than anybody reads. */
const MOST_LINES = 10;
/** Milliseconds; shorter pauses are part of learning how fast the service may be asked. */
const PAUSE_WORTH_TELLING = 1_000;

type Told = Progress & { source: string };

/** Shows what is going on: one line that is redrawn on a terminal, plain lines otherwise. */
export function showProgress(out: NodeJS.WriteStream, flags: string) {
  const totals: Totals = { requests: 0, pages: 0, emitted: 0, waiting: 0, withheld: 0, bySurvey: new Map() };
  const terminal = out.isTTY === true;
  /** Since when, by source. */
  const operatorPauses = new Map<string, number>();
  let surveys = 0;
  let lag: number | undefined;
  let drawn = false;
  let changed = false;
  let last = { at: performance.now(), emitted: 0 };
  /** Lines of events since the last redraw. */
  let lines = 0;

  function emissionsOf(source: string, surveyId: number): Emissions {
    const ofSource = totals.bySurvey.get(source) ?? new Map<number, Emissions>();
    totals.bySurvey.set(source, ofSource);
    const ofSurvey = ofSource.get(surveyId) ?? { count: 0, firstAt: new Map() };
    ofSource.set(surveyId, ofSurvey);
    return ofSurvey;
  }

  function clear(): void {
    if (drawn) out.write("\r\u001b[K");
    drawn = false;
  }

  /** A line that stays. */
  function say(line: string): void {
    clear();
    out.write(`${asCalled(line, BY_NPX)}\n`);
  }

  function draw(): void {
    if (lines > MOST_LINES) say(`… and ${lines - MOST_LINES} more events`);
    lines = 0;
    if (!changed) return;
    changed = false;
    const now = performance.now();
    const rate = ((totals.emitted - last.emitted) * 1000) / Math.max(1, now - last.at);
    last = { at: now, emitted: totals.emitted };
    // Until the first list is read there is nothing to tell: what fails has lines of its own.
    if (!terminal && surveys === 0 && totals.pages === 0) return;
    const status = [
      `${surveys} surveys`,
      `${totals.pages} pages`,
      `${totals.emitted} responses`,
      `${rate.toFixed(1)}/s`,
      `${totals.requests} requests`,
      ...(totals.waiting > 0 ? [`${totals.waiting} had to wait`] : []),
      ...(totals.withheld > 0 ? [`${totals.withheld} withheld`] : []),
      ...(lag === undefined ? [] : [`lag ${(lag / 1000).toFixed(1)} s`]),
    ].join(", ");
    if (!terminal) {
      say(status);
      return;
    }
    clear();
    out.write(status.slice(0, (out.columns || 80) - 1));
    drawn = true;
  }

  /** Counts what the function tells, and gives the line about what a person may want to know of. */
  function noted(progress: Told): string | undefined {
    switch (progress.kind) {
      case "surveys":
        surveys = progress.listed;
        return undefined;
      case "page":
        totals.pages += 1;
        return undefined;
      case "waiting":
        totals.waiting += progress.count;
        return undefined;
      case "sent": {
        const { type, outcome, surveyId, completed } = progress.event;
        if (type !== "response.completed" || outcome !== "published") return undefined;
        totals.emitted += 1;
        emissionsOf(progress.source, surveyId).count += 1;
        // Unknown without a time zone.
        lag = completed?.at === undefined ? undefined : Math.max(0, Date.now() - Date.parse(completed.at));
        return undefined;
      }
      case "quarantined": {
        totals.withheld += 1;
        const which = progress.responseId === undefined ? "a record" : `response ${progress.responseId}`;
        return `survey ${progress.surveyId}: ${which} is quarantined: ${progress.reason}`;
      }
      case "refused":
        totals.withheld += 1;
        return `survey ${progress.surveyId}: the bus has refused response ${progress.responseId} for good: ${progress.code}`;
      case "held":
        totals.withheld += progress.count;
        return `survey ${progress.surveyId}: ${progress.count} responses are held: nothing proves their contents`;
      case "paused": {
        const { source, since, until } = progress;
        if (since === undefined) {
          return `the survey service asked to be left alone until ${new Date(until).toISOString()}`;
        }
        // A pause by an operator is told once, and not at each of its ticks.
        const isTold = operatorPauses.get(source) === since;
        operatorPauses.set(source, since);
        return isTold
          ? undefined
          : `source ${source} is paused by an operator: ${nextCommand("resume", { source, flags }, "--yes")}`;
      }
      case "start awaited":
        return `it is not known yet where history begins: of survey ${progress.unanswered.join(", ")} more is counted than is shown; looked at again`;
      case "unreadable surveys":
        return `${progress.count} rows of the survey list have no surveyId that can be read: which surveys they are is not known`;
      case "survey failed":
        return `survey ${progress.surveyId}: ${progress.message} (${progress.code}); tried again at the next tick`;
    }
    return undefined;
  }

  const heard = {
    request(): void {
      totals.requests += 1;
      changed = true;
    },
    pause(message: unknown): void {
      const { duration } = message as PauseEvent;
      if (duration < PAUSE_WORTH_TELLING) return;
      say(`the survey service limits the rate: nothing is asked of it for ${(duration / 1000).toFixed(1)} s`);
    },
    progress(message: unknown): void {
      changed = true;
      const line = noted(message as Told);
      if (line !== undefined) say(line);
    },
  };
  for (const [name, on] of Object.entries(heard)) subscribe(`survey-poller:${name}`, on);
  const timer = setInterval(draw, terminal ? REDRAW_EVERY : PLAIN_EVERY);
  timer.unref();
  return {
    totals,
    say,
    /** An event that the bus has taken: a line of its own on a terminal. */
    event(envelope: EventEnvelope): void {
      if (envelope["detail-type"] === "response.completed") {
        const { meta, data } = envelope.detail as ResponseCompleted;
        const { firstAt } = emissionsOf(meta.sourceName, data.surveyId);
        if (!firstAt.has(data.responseId)) firstAt.set(data.responseId, Date.now());
      }
      if (!terminal) return;
      lines += 1;
      if (lines > MOST_LINES) return;
      say(lineOf(envelope, { now: Date.now, style: (style, text) => styleText(style, text, { stream: out }) }));
    },
    stop(): void {
      clearInterval(timer);
      for (const [name, on] of Object.entries(heard)) unsubscribe(`survey-poller:${name}`, on);
      clear();
    },
  };
}
