import { computed } from "@preact/signals";
import { isSilent, silentFor, snapshot } from "./state.ts";

export type Tone = "proved" | "work" | "late" | "you" | "quiet";

export interface Verdict {
  glyph: string;
  tone: Tone;
  /** The first words, and what comes after them. */
  head: string;
  rest: string;
  next: string | null;
}

const LOOKS: Readonly<Record<string, [glyph: string, tone: Tone]>> = {
  complete: ["●", "proved"],
  working: ["◐", "work"],
  unknown: ["◐", "work"],
  late: ["▲", "late"],
  unaccounted: ["■", "you"],
};

/** The sentence of `status`, and what only the page itself can know: that it has heard nothing. */
export const verdict = computed<Verdict>(() => {
  if (isSilent.value) {
    const seconds = Math.floor(silentFor.value / 1_000);
    const rest = "What is shown is what was heard last. It tries again by itself.";
    return { glyph: "▨", tone: "quiet", head: `This page has heard nothing for ${seconds} s`, rest, next: null };
  }
  const status = snapshot.value?.status ?? null;
  if (status === null) {
    const rest = snapshot.value?.statusFailure ?? "The poller is being loaded. The first poll begins in a moment.";
    return { glyph: "◐", tone: "work", head: "Starting", rest, next: null };
  }
  const [glyph, tone] = LOOKS[status.verdict] ?? ["◐", "work"];
  return { glyph, tone, ...parted(status.sentence), next: status.next };
});

/** "Complete. 168 listed" is a headline and what it rests on. */
function parted(sentence: string): { head: string; rest: string } {
  const at = /[.:] /.exec(sentence)?.index;
  if (at === undefined) return { head: sentence.replace(/\.$/, ""), rest: "" };
  return { head: sentence.slice(0, at), rest: sentence.slice(at + 2) };
}
