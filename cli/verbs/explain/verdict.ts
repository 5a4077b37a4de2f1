import { credible, latestInstant } from "../../../lib/events/build/date-string.ts";
import { isForgotten } from "../../../lib/operator/forgotten.ts";
import { isHistory, type LedgerEntry } from "../../../lib/polling/index.ts";
import { ago, span } from "../../words.ts";
import type { ExplainAnswer, Facts, Next } from "./answer.ts";
import { floorText, HELD, instant, waitsFor } from "./steps.ts";

type Verdict = Pick<ExplainAnswer, "verdict" | "outlook" | "sentence" | "next">;

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

/** One sentence on where a response stands, and what happens next. */
export function verdictOf(facts: Facts): Verdict {
  const { entry, mark, id, now } = facts;
  if (mark.pending?.some((one) => one.id === id) === true) {
    const next = byItself(facts, "The next poll of its survey writes the ledger first.");
    return say("emitted", "coming", "Emitted; the ledger does not say so yet.", next);
  }
  if (entry === undefined) return ofNone(facts);
  const { state, reason, nextCheck, firstSeen = now } = entry;
  switch (state) {
    case "emitted":
      return ofEmitted(facts, entry);
    case "before-floor":
      return beforeFloor(facts, "Before the floor");
    case "open": {
      const how =
        nextCheck === undefined
          ? "Walks that meet it look at it again, the next full pass at the latest."
          : "It is asked for again, and walks that meet it look at it too.";
      const next = byItself(facts, how, nextCheck ?? mark.nextPass);
      return say("open", "coming", "Open: it is not completed yet, so there is no event.", next);
    }
    case "waiting": {
      const sentence = `Waiting since ${instant(firstSeen)}: ${waitsFor(reason)}.`;
      return say("waiting", "coming", sentence, byItself(facts, waitingText(facts, reason), nextCheck));
    }
    case "held": {
      const what = "It is looked at again, with growing pauses, and by each full pass; once proved it goes out.";
      return say("held", "coming", `Held: ${HELD}.`, byItself(facts, what, nextCheck));
    }
    case "quarantined": {
      const what = "If the service mends it, a walk that meets it takes it up; else it takes a redrive.";
      return say("quarantined", "person", `Quarantined: ${reason ?? "it cannot be read"}.`, redrive(facts, what));
    }
    case "refused": {
      const sentence = `Refused: the bus has refused its event for good (${reason ?? "no code"}).`;
      return say("refused", "person", sentence, redrive(facts, "It goes out by a redrive, once the cause is gone."));
    }
  }
}

function ofEmitted(facts: Facts, entry: LedgerEntry): Verdict {
  const { mark, isListed, tellsDeleted, now } = facts;
  const { revision = 1, emittedAt, gone, refusedRevision } = entry;
  if (isForgotten(entry)) {
    const what = "Nothing: neither it nor an update of it goes out again.";
    return say("emitted", "settled", "Forgotten by an operator, after its event had gone out.", what);
  }
  const emitted = `Emitted ${ago(emittedAt, now)}${revision === 1 ? "" : `, revision ${revision}`}`;
  const isUnlisted =
    gone !== undefined && !tellsDeleted && gone.since < (mark.books?.closedAt ?? 0) && isListed === false;
  if (gone?.told === true || isUnlisted) {
    const sentence = `Deleted: ${emitted.toLowerCase()}, and no longer listed since ${instant(gone.since)}.`;
    return say("deleted", "settled", sentence, "Nothing; if it is listed again it goes out anew.");
  }
  if (refusedRevision !== undefined) {
    const sentence = `Refused: ${emitted.toLowerCase()}, and the bus has refused its update (${refusedRevision}).`;
    const next = redrive(facts, "The update goes out by a redrive, once the cause is gone.");
    return say("refused", "person", sentence, next);
  }
  if (gone !== undefined) {
    const what =
      "If the next full pass does not list it either, and operation 9 does not give it, it counts as deleted.";
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
  const published = log.lines.find(({ type, outcome }) => type === "response.completed" && outcome === "published");
  if (published !== undefined) return unaccounted(facts, `its event went out at ${instant(published.at)}`);
  if (looked === undefined)
    return isListed === true ? unaccounted(facts, "a full pass has listed it") : ofUnasked(facts);
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
  if (books === undefined && isPast) return beforeFloor(facts, "Before the floor, and not met yet");
  const completed = `the service has it, completed ${dateCompleted ?? "without a date"}`;
  if (isListed === true) return unaccounted(facts, `${completed}, and a full pass has listed it`);
  const isMissed =
    isListed === false && books !== undefined && isDated && latestInstant(dateCompleted) < books.startedAt;
  if (isMissed) return unaccounted(facts, `${completed}, and a full pass since has not listed it`);
  const decides =
    books === undefined
      ? `Before the first books the start decides: ${floorText(account)}.`
      : "What books do not know is new, whatever its date.";
  const sentence = `Not emitted yet: the service has it, and no walk has met it so far. ${decides}`;
  const what = "The next poll reads the head of the list, and the next full pass all of it.";
  return say("unknown", "coming", sentence, byItself(facts, what));
}

/** Met, and the ledger does not say so. */
function unaccounted(facts: Facts, why: string): Verdict {
  const sentence = `Unaccounted: ${why}, and the ledger has no entry of it.`;
  const what = "A full read takes it up where it is listed; if it is not, ask the service's operator.";
  return say("unknown", "person", sentence, { what, at: null, command: command(facts, "audit") });
}

function ofUnasked(facts: Facts): Verdict {
  const { books, phase } = facts.mark;
  const explain = command(facts, `explain ${facts.id}`, " --ask");
  const next = { what: "The service can be asked whether it has it.", at: null, command: explain };
  if (books === undefined || phase.kind !== "head") {
    return say("unknown", "coming", "Not met so far, and not every page of its survey was read yet.", next);
  }
  const sentence = `Never listed: no walk has met it up to the full pass of ${instant(books.closedAt)}.`;
  return say("unknown", "unknown", sentence, next);
}

function beforeFloor({ account, source }: Facts, what: string): Verdict {
  const why = `Nothing: \`startFrom\` of ${source.name} is "${source.startFrom}".`;
  return say("before-floor", "settled", `${what}: ${floorText(account)}.`, why);
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
  const { pausedUntil = 0, lastTick = 0 } = account;
  if (pausedUntil > now) return next(" The service asks to be left alone until then.", Math.max(pausedUntil, from));
  const late = now - lastTick > 2 * source.interval + 300_000;
  if (late) return next(` But nobody has polled for ${span(now - lastTick)}.`, null);
  return next("", Math.max(from, lastTick + source.interval, now));
}

function redrive(facts: Facts, what: string): Next {
  return { what, at: null, command: command(facts, `quarantine show ${facts.id}`) };
}

function command({ surveyId, source: { name }, flags }: Facts, verb: string, more = ""): string {
  return `survey-poller ${verb} --survey ${surveyId}${more}${name === "main" ? "" : ` --source ${name}`} ${flags}`;
}
