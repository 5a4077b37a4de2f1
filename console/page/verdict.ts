import { computed } from "@preact/signals";
import type { StatusAnswer } from "../../cli/verbs/status/answer.ts";
import { GLYPHS } from "../../cli/verbs/status/answer.ts";
import { ago } from "./format.ts";
import { isLockedOut, isSilent, now, silentFor, snapshot } from "./state.ts";

/** Milliseconds after which a state that was read is no longer called the present one. */
const STALE = 20_000;

export type Tone = "proved" | "work" | "late" | "you" | "quiet";

export interface Verdict {
  glyph: string;
  tone: Tone;
  /** The first words, and what comes after them. */
  head: string;
  rest: string;
  next: string | null;
}

const TONES: Readonly<Record<StatusAnswer["verdict"], Tone>> = {
  complete: "proved",
  working: "work",
  unknown: "work",
  late: "late",
  withheld: "you",
  unaccounted: "you",
};

/** The sentence of `status`, and what only the page itself can know: that it has heard nothing. */
export const verdict = computed<Verdict>(() => {
  if (isLockedOut.value) {
    const rest = "Open the URL that npm start or survey-poller console has printed last: its end holds the token.";
    return { glyph: "▨", tone: "quiet", head: "This page lacks its token", rest, next: null };
  }
  const { ended = null } = snapshot.value ?? {};
  if (ended !== null) {
    const rest = ended.cause ?? "It ended as it should. What is shown is as of then.";
    return {
      glyph: "▨",
      tone: ended.cause === null ? "quiet" : "late",
      head: `Ended ${ago(ended.at, now.value)}`,
      rest,
      next: null,
    };
  }
  if (isSilent.value) {
    const seconds = Math.floor(silentFor.value / 1_000);
    const rest = "What is shown is what was heard last. It tries again by itself.";
    return { glyph: "▨", tone: "quiet", head: `This page has heard nothing for ${seconds} s`, rest, next: null };
  }
  const { status = null, statusFailure = null, statusAt = null, command = "", flags = "" } = snapshot.value ?? {};
  if (status === null) {
    const rest = statusFailure ?? "The poller is being loaded. The first poll begins in a moment.";
    return { glyph: "◐", tone: "work", head: "Starting", rest, next: null };
  }
  const age = now.value - (statusAt ?? 0);
  if (statusFailure !== null || age > STALE) {
    const why = statusFailure ?? "The next look takes long.";
    const head = `The state was last read ${ago(statusAt, now.value)}`;
    const next = statusFailure === null ? null : `${command} doctor ${flags}`;
    return { glyph: "▨", tone: "quiet", head, rest: `${why} What is shown is as of then.`, next };
  }
  return { glyph: GLYPHS[status.verdict], tone: TONES[status.verdict], ...parted(status.sentence), next: status.next };
});

/** "Complete. 168 listed" is a headline and what it rests on. */
function parted(sentence: string): { head: string; rest: string } {
  const at = /[.:] /.exec(sentence)?.index;
  if (at === undefined) return { head: sentence.replace(/\.$/, ""), rest: "" };
  return { head: sentence.slice(0, at), rest: sentence.slice(at + 2) };
}
