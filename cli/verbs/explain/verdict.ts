import { credible, latestInstant } from "../../../lib/events/build/date-string.ts";
import { isForgotten } from "../../../lib/operator/forgotten.ts";
import type { EntryState, LedgerEntry } from "../../../lib/polling/model/ledger-entry.ts";
import { isHistory } from "../../../lib/polling/model/start.ts";
import { ago, span } from "../../words.ts";
import type { ExplainAnswer, Facts, Next } from "./answer.ts";
import { floorText, heldText, instant, waitsFor } from "./steps.ts";

type Verdict = Pick<ExplainAnswer, "verdict" | "outlook" | "sentence" | "next">;

const NOTHING: Next = { what: "Nothing more is due.", at: null, command: null };

/** One sentence on where a response stands, and what happens next. */
export function verdictOf(facts: Facts): Verdict {
  const { entry, mark, id } = facts;
  if (mark.pending?.some((one) => one.id === id) === true) {
    const next = byItself(facts, "The next poll of its survey writes the ledger first.");
    return { verdict: "emitted", outlook: "coming", sentence: "Emitted; the ledger does not say so yet.", next };
  }
  return entry === undefined ? ofNone(facts) : BY_STATE[entry.state](facts, entry);
}

const BY_STATE: Record<EntryState, (facts: Facts, entry: LedgerEntry) => Verdict> = {
  emitted: ofEmitted,
  "before-floor": (facts) => beforeFloor(facts, "Before the floor"),
  open(facts, { nextCheck }) {
    const how =
      nextCheck === undefined
        ? "Walks that meet it look at it again, the next full pass at the latest."
        : "It is asked for again, and walks that meet it look at it too.";
    const next = byItself(facts, how, nextCheck ?? facts.mark.nextPass);
    return {
      verdict: "open",
      outlook: "coming",
      sentence: "Open: it is not completed yet, so there is no event.",
      next,
    };
  },
  waiting(facts, { reason, nextCheck, firstSeen = facts.now }) {
    const sentence = `Waiting since ${instant(firstSeen)}: ${waitsFor(reason)}.`;
    return {
      verdict: "waiting",
      outlook: "coming",
      sentence,
      next: byItself(facts, waitingText(facts, reason), nextCheck),
    };
  },
  held(facts, { nextCheck }) {
    const sentence = `Held: ${heldText()}.`;
    const what = "It is looked at again, with growing pauses, and by each full pass; once proved it goes out.";
    return { verdict: "held", outlook: "coming", sentence, next: byItself(facts, what, nextCheck) };
  },
  quarantined: (facts, { reason = "it cannot be read" }) => ({
    verdict: "quarantined",
    outlook: "person",
    sentence: `Quarantined: ${reason}.`,
    next: redrive(facts, "If the service mends it, a walk that meets it takes it up; else it takes a redrive."),
  }),
  refused: (facts, { reason = "no code" }) => ({
    verdict: "refused",
    outlook: "person",
    sentence: `Refused: the bus has refused its event for good (${reason}).`,
    next: redrive(facts, "It goes out by a redrive, once the cause is gone."),
  }),
};

function ofEmitted(facts: Facts, entry: LedgerEntry): Verdict {
  const { mark, isListed, tellsDeleted, now, id } = facts;
  const { revision = 1, emittedAt, gone, refusedRevision } = entry;
  if (isForgotten(entry)) {
    const what = "Nothing: neither it nor an update of it goes out again.";
    const sentence = "Forgotten by an operator, after its event had gone out.";
    return { verdict: "emitted", outlook: "settled", sentence, next: { ...NOTHING, what } };
  }
  const how = revision === 1 ? "" : `, revision ${revision}`;
  const emitted = `Emitted ${ago(emittedAt, now)}${how}`;
  if (
    gone !== undefined &&
    (gone.told === true || (!tellsDeleted && gone.since < (mark.books?.closedAt ?? 0) && isListed === false))
  ) {
    const sentence = `Deleted: ${emitted.toLowerCase()}, and no longer listed since ${instant(gone.since)}.`;
    const what = "Nothing; if it is listed again it goes out anew.";
    return { verdict: "deleted", outlook: "settled", sentence, next: { ...NOTHING, what } };
  }
  if (refusedRevision !== undefined) {
    const sentence = `Refused: ${emitted.toLowerCase()}, and the bus has refused its update (${refusedRevision}).`;
    return {
      verdict: "refused",
      outlook: "person",
      sentence,
      next: redrive(facts, "The update goes out by a redrive, once the cause is gone."),
    };
  }
  const say = (sentence: string, next: Next): Verdict => ({ verdict: "emitted", outlook: "settled", sentence, next });
  if (gone !== undefined) {
    const what =
      "If the next full pass does not list it either, and operation 9 does not give it, it counts as deleted.";
    return say(`${emitted}; no longer listed.`, byItself(facts, what, mark.nextPass));
  }
  const isChanging = entry.next !== undefined || mark.changes?.some((sight) => sight.id === id) === true;
  if (!isChanging) return say(`${emitted}.`, NOTHING);
  const what = "An update goes out once it has read the same twice, a minute apart.";
  return say(`${emitted}; it reads otherwise by now.`, byItself(facts, what));
}

/** No item: never met, or lost. */
function ofNone(facts: Facts): Verdict {
  const { isListed, looked, log, mark, account, now } = facts;
  const published = log.lines.find(({ type, outcome }) => type === "response.completed" && outcome === "published");
  if (published !== undefined) return unaccounted(facts, `its event went out at ${instant(published.at)}`);
  if (looked === undefined)
    return isListed === true ? unaccounted(facts, "a full pass has listed it") : ofUnasked(facts);
  if (looked === null) {
    const sentence = "Not known: neither the ledger nor the service has such a response.";
    return { verdict: "unknown", outlook: "unknown", sentence, next: { ...NOTHING, what: "Are survey and id right?" } };
  }
  const { isCompleted, dateCompleted } = looked;
  if (isCompleted === false) {
    const sentence = "Open: the service has it, not completed, and the list has not shown it yet.";
    return {
      verdict: "open",
      outlook: "coming",
      sentence,
      next: byItself(facts, "It goes out once it is completed and listed."),
    };
  }
  const { start } = account;
  const isPast = start !== undefined && credible(dateCompleted, now) && isHistory(dateCompleted, start);
  if (mark.books === undefined && isPast) return beforeFloor(facts, "Before the floor, and not met yet");
  const completed = `the service has it, completed ${dateCompleted ?? "without a date"}`;
  if (isListed === true) return unaccounted(facts, `${completed}, and a full pass has listed it`);
  const passAt = mark.books?.startedAt;
  const isMissed =
    isListed === false && passAt !== undefined && credible(dateCompleted, now) && latestInstant(dateCompleted) < passAt;
  if (isMissed) return unaccounted(facts, `${completed}, and a full pass since has not listed it`);
  const decides =
    mark.books === undefined
      ? `Before the first books the start decides: ${floorText(account)}.`
      : "What books do not know is new, whatever its date.";
  const sentence = `Not emitted yet: the service has it, and no walk has met it so far. ${decides}`;
  const what = "The next poll reads the head of the list, and the next full pass all of it.";
  return { verdict: "unknown", outlook: "coming", sentence, next: byItself(facts, what) };
}

/** Met, and the ledger does not say so. */
function unaccounted(facts: Facts, why: string): Verdict {
  const { surveyId, source, flags } = facts;
  const sentence = `Unaccounted: ${why}, and the ledger has no entry of it.`;
  const what = "A full read takes it up where it is listed; if it is not, ask the service's operator.";
  const audit = `survey-poller audit --survey ${surveyId}${sourceFlag(source.name)} ${flags}`;
  return { verdict: "unknown", outlook: "person", sentence, next: { what, at: null, command: audit } };
}

function ofUnasked(facts: Facts): Verdict {
  const { mark } = facts;
  const next = { what: "The service can be asked whether it has it.", at: null, command: command(facts, "--ask") };
  const { books, phase } = mark;
  if (books === undefined || phase.kind !== "head") {
    const sentence = "Not met so far, and not every page of its survey was read yet.";
    return { verdict: "unknown", outlook: "coming", sentence, next };
  }
  const sentence = `Never listed: no walk has met it up to the full pass of ${instant(books.closedAt)}.`;
  return { verdict: "unknown", outlook: "unknown", sentence, next };
}

function beforeFloor({ account, source }: Facts, what: string): Verdict {
  const sentence = `${what}: ${floorText(account)}.`;
  const why = `Nothing: \`startFrom\` of ${source.name} is "${source.startFrom}".`;
  return { verdict: "before-floor", outlook: "settled", sentence, next: { ...NOTHING, what: why } };
}

/** How long patience lasts. */
function waitingText({ source, account }: Facts, reason = ""): string {
  const failing = (["metrics", "metadata"] as const).filter(
    (kind) => account.breakers?.[kind].phase === "open" && reason.includes(`${kind}:`),
  );
  if (failing.length > 0) {
    return `The service gives no ${failing.join(" and no ")} to anybody now: patience stands still, for a day at most.`;
  }
  if (/bus:|event:/.test(reason)) return "It is published again.";
  const parts = reason.split(" ").filter(Boolean);
  if (parts.length > 0 && parts.every((part) => part.endsWith(":absent"))) {
    return `It is asked for again; still absent ${span(source.absentAfter)} after it was met, it goes out without.`;
  }
  return `It is asked for again, with growing pauses; after ${span(source.enrichmentPatience)} of it the event goes out without.`;
}

/** The poller's next step without anybody's help, at the first tick at or after `from`. */
function byItself({ account, source, isStopped, now }: Facts, what: string, from = 0): Next {
  const say = (more: string, at: number | null): Next => ({ what: `${what}${more}`, at, command: null });
  if (isStopped) return say(" Nothing polls this folder now: npm start does.", null);
  const { pausedUntil = 0, lastTick = 0 } = account;
  if (pausedUntil > now) return say(" The service asks to be left alone until then.", Math.max(pausedUntil, from));
  const late = now - lastTick > 2 * source.interval + 300_000;
  if (late) return say(` But nobody has polled for ${span(now - lastTick)}.`, null);
  return say("", Math.max(from, lastTick + source.interval, now));
}

function redrive(facts: Facts, what: string): Next {
  const { surveyId, source, flags, id } = facts;
  const line = `survey-poller quarantine show ${id} --survey ${surveyId}${sourceFlag(source.name)} ${flags}`;
  return { what, at: null, command: line };
}

function command({ id, surveyId, source, flags }: Facts, more: string): string {
  return `survey-poller explain ${id} --survey ${surveyId} ${more}${sourceFlag(source.name)} ${flags}`;
}

function sourceFlag(name: string): string {
  return name === "main" ? "" : ` --source ${name}`;
}
