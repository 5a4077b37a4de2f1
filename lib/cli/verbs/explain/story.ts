import type { SourceConfig } from "../../../config/index.ts";
import { credible, latestInstant } from "../../../events/build/date-string.ts";
import { isForgotten } from "../../../operator/forget.ts";
import type { Looked } from "../../../operator/look.ts";
import {
  type AccountState,
  isAsked,
  isHistory,
  type LedgerEntry,
  leastApart,
  placeOf,
  type SentEvent,
  type SurveyState,
} from "../../../polling/index.ts";
import { FOREVER } from "../../../state/keys.ts";
import { ago, nextCommand, span, whyPaused } from "../../words.ts";
import { ORIGINS } from "../status/answer.ts";

// Times are epoch milliseconds.

interface Step {
  at: number | null;
  what:
    | ("completed" | "met" | "listed" | "proved" | "details" | "bus" | "ledger" | "updated" | "changed")
    | ("gone" | "deleted" | "waiting" | "held" | "quarantined" | "refused" | "open" | "before the start" | "forgotten")
    | ("books" | "asked");
  detail: string;
  /** How long its parts took, where the log tells it. */
  took: { what: keyof EventLogLine["ms"]; ms: number }[];
}

type Next = { what: string; at: number | null; command: string | null };

/** Where a response stands, and what comes next. */
interface Verdict {
  verdict: LedgerEntry["state"] | "deleted" | "unknown";
  /** Settled: nothing is due. Coming: it goes on without anybody. Person: it needs somebody. */
  outlook: "settled" | "coming" | "person" | "unknown";
  sentence: string;
  next: Next;
}

/** The output of `explain --json`, beside `schemaVersion`. */
export interface ExplainAnswer extends Verdict {
  source: string;
  /** Null where no survey has it. */
  surveyId: number | null;
  name: string | null;
  /** Text for a record without a readable responseId. */
  responseId: LedgerEntry["id"];
  steps: Step[];
  /** The item of the response, but for what is kept of it; null where there is none. */
  ledger: Omit<LedgerEntry, "kept" | "person" | "shown"> | null;
  /** Lines of the log that tell of its events; and why these are less than one may expect. */
  log: { lines: number; note: string | null };
}

/** A line that the function has logged of an event of a response, and when (epoch milliseconds). */
export type EventLogLine = Omit<SentEvent, "completed"> & { lag?: number; at: number };

/** All that is known of one response of a survey. Times are epoch milliseconds. */
export interface Facts {
  source: Pick<
    SourceConfig,
    "name" | "interval" | "absentAfter" | "enrichmentPatience" | "timeZone" | "rescan" | "logLevel" | "startFrom"
  >;
  /** Whether subscribers are told of deletions. */
  tellsDeleted: boolean;
  surveyId: number;
  id: LedgerEntry["id"];
  entry: LedgerEntry | undefined;
  mark: SurveyState;
  account: Pick<AccountState, "lastTick" | "pausedUntil" | "pausedSince" | "outages" | "start">;
  /** Whether the last closed books list it; undefined where nothing tells. */
  isListed: boolean | undefined;
  log: readonly EventLogLine[];
  /** The answer of the service now; null: it has no such response. Undefined: it was not asked. */
  looked: Looked | null | undefined;
  /** Set where no tick comes before somebody starts it. */
  isStopped: boolean;
  flags: string;
  now: number;
}

/** Tells the story of a response. Pure. */
export function explain(facts: Facts): ExplainAnswer {
  const { source, surveyId, id, entry, mark, log } = facts;
  const { kept: _, keptKey: __, person: ___, shown: ____, ...ledger } = entry ?? ({} as LedgerEntry);
  return {
    ...{ source: source.name, surveyId, name: mark.survey?.facts.name ?? null, responseId: id },
    ...{ ...verdictOf(facts), steps: stepsOf(facts), ledger: entry === undefined ? null : ledger },
    log: { lines: log.length, note: noteOf(facts) },
  };
}

/** Why the log tells less than one may expect; null where it tells all. */
function noteOf({ entry, log, source }: Facts): string | null {
  if (entry?.state !== "emitted" || log.some(({ eventId }) => eventId === entry.eventId)) return null;
  return source.logLevel === "warn" || source.logLevel === "error"
    ? `The log has no lines of events: logLevel of ${source.name} is "${source.logLevel}".`
    : "No line of its event was found in the log: what is told here is what the ledger has.";
}

const say = (
  verdict: Verdict["verdict"],
  outlook: Verdict["outlook"],
  sentence: string,
  next: Next | string,
): Verdict => ({
  ...{ verdict, outlook, sentence },
  next: typeof next === "string" ? { what: next, at: null, command: null } : next,
});

const NOTHING = "Nothing more is due.";

function verdictOf(facts: Facts): Verdict {
  const { entry, mark, id } = facts;
  if (mark.pending?.some((one) => one.id === id) === true) {
    const next = byItself(facts, "The next poll of its survey writes the ledger first.");
    return say("emitted", "coming", "Emitted; the ledger does not say so yet.", next);
  }
  if (entry === undefined) return ofNone(facts);
  return entry.state === "emitted" ? ofEmitted(facts, entry) : ofUnemitted(facts, entry).verdict;
}

/** Where a response stands that has no event, and the step that says why. */
function ofUnemitted(facts: Facts, entry: LedgerEntry): { verdict: Verdict; step: Step } {
  const { mark, account, now } = facts;
  const { state, reason, nextCheck, firstSeen = now, attempts = 0 } = entry;
  const tried = attempts === 0 ? "" : `; ${attempts} attempt${attempts === 1 ? "" : "s"} so far`;
  const kept = `; its records are ${nextCheck === undefined ? "no longer kept" : `kept until ${instant(nextCheck)}`}`;
  const told = (what: Step["what"], why: string, verdict: Verdict) => ({ verdict, step: step(now, what, why) });
  switch (state) {
    case "waiting": {
      const why = waitsFor(reason);
      const next = byItself(facts, waitingText(facts, reason), nextCheck);
      return told(state, why + tried, say(state, "coming", `Waiting since ${instant(firstSeen)}: ${why}.`, next));
    }
    case "held": {
      const why = "nothing proves its contents: it stands across pages, and operation 9 does not confirm it";
      const what = "It is looked at again, with growing pauses, and by each full read; once proved it goes out.";
      return told(state, why + tried, say(state, "coming", `Held: ${why}.`, byItself(facts, what, nextCheck)));
    }
    case "quarantined": {
      const why = reason ?? "it cannot be read";
      const what = "If the service mends it, a reading that meets it takes it up; else it takes a redrive.";
      return told(state, why + kept, say(state, "person", `Quarantined: ${why}.`, redrive(facts, what)));
    }
    case "refused": {
      const why = `the bus has refused its event for good (${reason ?? "no code"})`;
      const next = redrive(facts, "It goes out by a redrive, once the cause is gone.");
      return told(state, why + kept, say(state, "person", `Refused: ${why}.`, next));
    }
    case "open": {
      const gone = "its kept records are gone: the next reading takes it up anew";
      const why = reason === undefined ? "not completed when it was looked at last" : gone;
      const walks = "Walks that meet it look at it again, the next full read at the latest.";
      const how = nextCheck === undefined ? walks : "It is asked for again, and readings that meet it look at it too.";
      const next = byItself(facts, how, nextCheck ?? mark.nextPass);
      return told(state, why, say(state, "coming", "Open: it is not completed yet, so there is no event.", next));
    }
    default:
      return isForgotten(entry)
        ? told("forgotten", "by an operator", forgotten("before-start", "."))
        : told("before the start", startText(account), beforeStart(facts, "Before the start"));
  }
}

const forgotten = (state: LedgerEntry["state"], when: string): Verdict =>
  say(state, "settled", `Forgotten by an operator${when}`, "Nothing: nothing of it goes out any more.");

function ofEmitted(facts: Facts, entry: LedgerEntry): Verdict {
  const { source, mark, isListed, tellsDeleted, now } = facts;
  const { revision = 1, emittedAt, gone, refusedRevision } = entry;
  if (isForgotten(entry)) return forgotten("emitted", ", after its event had gone out.");
  const emitted = `Emitted ${ago(emittedAt, now)}${revision === 1 ? "" : `, revision ${revision}`}`;
  const certainFrom = (gone?.since ?? Infinity) + leastApart(source);
  const isUnlisted = !tellsDeleted && isListed === false && (mark.books?.closedAt ?? 0) >= certainFrom;
  if (gone !== undefined && (gone.told === true || isUnlisted)) {
    const sentence = `Deleted: ${emitted.toLowerCase()}, and no longer listed since ${instant(gone.since)}.`;
    return say("deleted", "settled", sentence, "Nothing; if it is listed again it goes out anew.");
  }
  if (refusedRevision !== undefined) {
    const sentence = `Refused: ${emitted.toLowerCase()}, and the bus has refused its update (${refusedRevision}).`;
    const next = redrive(facts, "The update goes out by a redrive, once the cause is gone.");
    return say("refused", "person", sentence, next);
  }
  if (gone !== undefined) {
    const what = `If a full read that ends ${instant(certainFrom)} or later does not list it either, and operation 9 does not give it, it counts as deleted.`;
    return say("emitted", "settled", `${emitted}; no longer listed.`, byItself(facts, what, mark.nextPass));
  }
  const isChanging = entry.next !== undefined || entry.sight !== undefined;
  if (!isChanging) return say("emitted", "settled", `${emitted}.`, NOTHING);
  const next = byItself(facts, "An update goes out once it has read the same twice, a minute apart.");
  return say("emitted", "settled", `${emitted}; it reads otherwise by now.`, next);
}

/** No item: never met, or lost. */
function ofNone(facts: Facts): Verdict {
  const { isListed, looked, log, mark, account, now } = facts;
  const published = log.find(({ type, outcome }) => type === "response.completed" && outcome === "published");
  if (published !== undefined) return unaccounted(facts, `its event went out at ${instant(published.at)}`);
  if (looked === undefined)
    return isListed === true ? unaccounted(facts, "a full read has listed it") : ofUnasked(facts);
  if (looked === null) {
    const sentence = "Not known: neither the ledger nor the service has such a response.";
    return say("unknown", "unknown", sentence, "Are survey and id right?");
  }
  const { isCompleted, dateCompleted } = looked;
  if (isCompleted === false) {
    const sentence = "Open: the service has it, not completed, and the list has not shown it yet.";
    return say("open", "coming", sentence, byItself(facts, "It goes out once it is completed and listed."));
  }
  const { start } = account;
  const { books } = mark;
  const isDated = credible(dateCompleted, now);
  const isPast = start !== undefined && isDated && isHistory(dateCompleted, start);
  if (books === undefined && isPast) return beforeStart(facts, "Before the start, and not met yet");
  const completed = `the service has it, completed ${dateCompleted ?? "without a date"}`;
  if (isListed === true) return unaccounted(facts, `${completed}, and a full read has listed it`);
  const isMissed =
    isListed === false && books !== undefined && isDated && latestInstant(dateCompleted) < books.startedAt;
  if (isMissed) return unaccounted(facts, `${completed}, and a full read since has not listed it`);
  const decides =
    books === undefined
      ? `Before the first books the start decides: ${startText(account)}.`
      : "What books do not know is new, whatever its date.";
  const sentence = `Not emitted yet: the service has it, and no reading has met it so far. ${decides}`;
  const what = "The next poll reads the head of the list, and the next full read all of it.";
  return say("unknown", "coming", sentence, byItself(facts, what));
}

/** Met, and the ledger does not say so. */
function unaccounted(facts: Facts, why: string): Verdict {
  const sentence = `Unaccounted: ${why}, and the ledger has no entry of it.`;
  const what = "A full read takes it up where it is listed; if it is not, ask the service's operator.";
  return say("unknown", "person", sentence, byCommand(facts, what, "audit"));
}

function ofUnasked(facts: Facts): Verdict {
  const { books, phase } = facts.mark;
  const next = byCommand(facts, "The service can be asked whether it has it.", `explain ${facts.id}`, "--ask");
  if (books === undefined || phase.kind !== "head") {
    return say("unknown", "coming", "Not met so far, and not every page of its survey was read yet.", next);
  }
  const sentence = `Never listed: no reading has met it up to the full read of ${instant(books.closedAt)}.`;
  return say("unknown", "unknown", sentence, next);
}

/** History, unless a backfill asks for it. */
function beforeStart(facts: Facts, what: string): Verdict {
  const { account, source, mark, looked, now } = facts;
  const backfill = placeOf(mark)?.backfill;
  if (backfill !== undefined && (!looked || isAsked(looked.dateCompleted, { backfill, now }))) {
    const under = `a backfill of what completed from ${backfill.from} to ${backfill.to} is under way`;
    const known = "The backfill emits it once it has come to it.";
    const next = looked ? known : "If it completed then, the backfill emits it.";
    return say("before-start", "coming", `${what}, and ${under}.`, byItself(facts, next));
  }
  const why = `Nothing: \`startFrom\` of ${source.name} is "${source.startFrom}".`;
  return say("before-start", "settled", `${what}: ${startText(account)}.`, why);
}

/** How long patience lasts. */
function waitingText({ source, account }: Facts, reason = ""): string {
  const failing = (["metrics", "metadata"] as const).filter(
    (kind) => account.outages?.[kind] !== undefined && reason.includes(`${kind}:`),
  );
  if (failing.length > 0) {
    return `The service gives no ${failing.join(" and no ")} to anybody now: patience stands still, for a day at most.`;
  }
  if (/bus:|event:/.test(reason)) return "It is published again.";
  const parts = reason.split(" ").filter(Boolean);
  return parts.length > 0 && parts.every((part) => part.endsWith(":absent"))
    ? `It is asked for again; still absent ${span(source.absentAfter)} after it was met, it goes out without.`
    : `It is asked for again, with growing pauses; after ${span(source.enrichmentPatience)} of it the event goes out without.`;
}

/** The poller's next step without anybody's help, at the first tick at or after `from`. */
function byItself({ account, source, isStopped, now }: Facts, what: string, from = 0): Next {
  const next = (more: string, at: number | null): Next => ({ what: `${what}${more}`, at, command: null });
  if (isStopped) return next(" Nothing polls this folder now: npm start does.", null);
  const { pausedUntil = 0, pausedSince, lastTick = 0 } = account;
  if (pausedUntil > now) {
    const end = pausedUntil >= FOREVER ? null : Math.max(pausedUntil, from);
    return next(` ${whyPaused(source.name, { pausedSince, pausedUntil })}.`, end);
  }
  const late = now - lastTick > 2 * source.interval + 300_000;
  if (late) return next(` But nobody has polled for ${span(now - lastTick)}.`, null);
  return next("", Math.max(from, lastTick + source.interval, now));
}

function byCommand({ surveyId, source, flags }: Facts, what: string, verb: string, more = ""): Next {
  return { what, at: null, command: nextCommand(verb, { surveyId, source: source.name, flags }, more) };
}

const redrive = (facts: Facts, what: string): Next => byCommand(facts, what, `quarantine show ${facts.id}`);

/** "2026-11-26 19:44:25Z", and with milliseconds where `exact`. */
export function instant(at: number, exact = false): string {
  const text = new Date(at).toISOString();
  return `${text.slice(0, exact ? 23 : 19).replace("T", " ")}Z`;
}

const step = (at: number | null, what: Step["what"], detail: string, took: Step["took"] = []): Step => ({
  ...{ at, what, detail, took },
});

function stepsOf(facts: Facts): Step[] {
  const { log, entry } = facts;
  const { firstSeen, state, origin, gone } = entry ?? {};
  const met = state === "open" ? "open since then at the latest" : joined(["met first", originText(origin)]);
  const isTold = log.some(({ type }) => type === "response.deleted");
  const deleted = "no longer listed by full reads; subscribers were told by response.deleted";
  const contents = log.filter(({ type }) => type === "response.completed" || type === "response.updated");
  const first = contents.find(({ type, outcome }) => type === "response.completed" && outcome === "published");
  // Steps of what belongs together. One without a time of its own stands behind the one before it.
  const groups: Step[][] = [
    // When it was met first, where the ledger has kept that: of what is not settled.
    firstSeen === undefined || state === "emitted" ? [] : [step(firstSeen, "met", met)],
    ...contents.map((line) => eventSteps(facts, line, line === first)),
    ...log.flatMap(({ type, at, outcome }) =>
      type === "response.deleted" ? [[step(at, "deleted", `subscribers were told by ${type}: ${outcome}`)]] : [],
    ),
    ...ledgerSteps(facts, contents),
    ...(entry?.sight === undefined ? [] : [[step(entry.sight.at, "changed", "it reads otherwise than its event")]]),
    gone === undefined || gone.told === true ? [] : [step(gone.since, "gone", "a full read no longer lists it")],
    gone?.told !== true || isTold ? [] : [step(gone.since, "deleted", deleted)],
    bookSteps(facts),
    askedSteps(facts),
  ];
  const timeOf = (group: Step[]): number => group.find(({ at }) => at !== null)?.at ?? entry?.firstSeen ?? 0;
  return groups.sort((a, b) => timeOf(a) - timeOf(b)).flat();
}

/** From its completion to the ledger; of an update all in one. */
function eventSteps({ source, entry }: Facts, line: EventLogLine, isFirst: boolean): Step[] {
  const { lag, detectedAt, listed, proved, eventId, outcome, at, ms, attempts, revision, changed = [] } = line;
  const proof = proved === undefined ? undefined : (PROOFS[proved] ?? proved);
  if (line.type === "response.updated") {
    const what = changed.length === 0 ? "" : `: ${changed.join(", ")} changed`;
    const seen = `${listedText(line)}${proof === undefined ? "" : `; ${proof}`}`;
    const detail = `revision ${revision}${what}; ${seen}; ${busText(line)}; event ${eventId}`;
    return [step(at, "updated", detail, tookOf(ms, ["metrics", "metadata", "bus", "ledger"]))];
  }
  const steps: Step[] = [];
  if (isFirst && source.timeZone === undefined) {
    steps.push(step(null, "completed", "when, nobody can say: the source has no timeZone"));
  } else if (isFirst && lag !== undefined) {
    const after = lag < 1_000 ? `${lag} ms` : span(lag);
    steps.push(step(detectedAt - lag, "completed", `its event was made ${after} later`));
  }
  steps.push(step(listed?.at ?? null, "listed", listedText(line)));
  if (proof !== undefined) steps.push(step(null, "proved", proof));
  const took = tookOf(ms, ["metrics", "metadata"]);
  const details = took.map(({ what, ms: time }) => `${what} ${time} ms`);
  if (attempts !== undefined) details.push(`${attempts} attempts`);
  if (details.length > 0) steps.push(step(null, "details", details.join(", "), took));
  steps.push(step(at - (ms.ledger ?? 0), "bus", busText(line), tookOf(ms, ["bus"])));
  if (outcome !== "published" || (ms.ledger === undefined && entry?.eventId !== eventId)) return steps;
  const written = ms.ledger === undefined ? "" : `, written in ${ms.ledger} ms`;
  const detail = `emitted, event ${eventId}, revision ${revision ?? 1}${written}`;
  return [...steps, step(at, "ledger", detail, tookOf(ms, ["ledger"]))];
}

function tookOf(times: EventLogLine["ms"], parts: readonly (keyof EventLogLine["ms"])[]): Step["took"] {
  return parts.flatMap((what) => {
    const ms = times[what];
    return ms === undefined ? [] : [{ what, ms }];
  });
}

function originText(origin: string | undefined): string {
  return origin === undefined ? "" : (ORIGINS[origin] ?? `by ${origin}`);
}

function listedText({ listed, origin }: EventLogLine): string {
  const order = listed?.order === "desc" ? "newest first" : "oldest first";
  const place = listed === undefined ? "" : `page ${listed.page} (${order})`;
  return joined([place, originText(origin)]);
}

const joined = (parts: readonly string[]): string => parts.filter(Boolean).join(", ");

const PROOFS: Readonly<Record<string, string>> = {
  "its page": "whole by its page",
  "both pages": "whole by both pages beside the edge, read again",
  "single read": "whole by operation 9, asked for by its id",
  kept: "whole by an earlier poll, and kept since",
};

function busText({ outcome, code, batch = 1, ms }: EventLogLine): string {
  const others = batch === 1 ? "alone" : `with ${batch - 1} other${batch === 2 ? "" : "s"}`;
  const verdict = outcome === "published" ? "published" : `${outcome}${code === undefined ? "" : ` (${code})`}`;
  return `${verdict}, ${others}${ms.bus === undefined ? "" : `, in ${ms.bus} ms`}`;
}

/** The steps that the ledger tells of where no line of the log does. */
function ledgerSteps(facts: Facts, lines: readonly EventLogLine[]): Step[][] {
  const { entry, now, mark, id } = facts;
  const pending = mark.pending?.find((one) => one.id === id);
  if (pending !== undefined) {
    const detail = `the bus has taken event ${pending.eventId}; the ledger could not be written yet`;
    return [[step(pending.emittedAt ?? null, "ledger", detail)]];
  }
  if (entry === undefined) return [];
  if (entry.state !== "emitted") return [[ofUnemitted(facts, entry).step]];
  const { emittedAt = null, eventId, revision = 1, refusedRevision } = entry;
  const isTold = lines.some((line) => line.eventId === eventId && line.outcome === "published");
  const told = [step(emittedAt, "ledger", `emitted, event ${eventId}, revision ${revision}`)];
  const refused = [step(now, "refused", `the bus has refused for good what was to replace it (${refusedRevision})`)];
  return [...(isTold ? [] : [told]), ...(refusedRevision === undefined ? [] : [refused])];
}

/** What a waiting response waits for, by reasons such as "metrics:absent metadata:TIMEOUT". */
function waitsFor(reason = ""): string {
  const parts = reason.split(" ").filter(Boolean);
  const said = parts.map((one) => {
    const [kind = "", code = ""] = one.split(":");
    if (kind === "bus") return `the bus has not taken its event (${code})`;
    if (kind === "event") return `there is no place for its answers (${code})`;
    return code === "absent" ? `the service has no ${kind} of it yet` : `its ${kind} could not be had (${code})`;
  });
  return said.join(", ") || "its reason is not known";
}

function startText({ start }: Facts["account"]): string {
  if (start === undefined) return "it is not known yet where history ends";
  if (start.at === null) return "nothing is history";
  const when = start.from === "now" ? "up to" : "before";
  return `what completed ${when} ${start.at} is history, and no event goes out of it`;
}

/** The last closed books tell of it where the ledger alone does not. */
function bookSteps({ mark: { books }, entry, isListed }: Facts): Step[] {
  if (books === undefined || isListed === undefined || entry?.state === "emitted") return [];
  // What came since that pass began says nothing by not being in it.
  if (!isListed && (entry?.firstSeen ?? 0) > books.startedAt) return [];
  const detail = isListed ? "a full read lists it" : "a full read does not list it";
  return [step(books.closedAt, "books", `${detail} (${books.listed} listed)`)];
}

function askedSteps({ looked, now }: Facts): Step[] {
  if (looked === undefined) return [];
  if (looked === null) return [step(now, "asked", "operation 9 has no such response")];
  const { isCompleted, dateCompleted, records } = looked;
  const completed = isCompleted === true ? `completed ${dateCompleted ?? "without a date"}` : "open";
  const state = isCompleted === null ? "in a state that cannot be read" : completed;
  return [step(now, "asked", `the service has it: ${state}, ${records} record${records === 1 ? "" : "s"}`)];
}
