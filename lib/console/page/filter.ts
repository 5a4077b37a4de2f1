import { computed } from "@preact/signals";
import { type EventRow, surveyKey } from "../changes.ts";
import { matchesOf } from "./matches.ts";
import { place } from "./place.ts";
import { events } from "./state.ts";

const pattern = computed(() => (place.value.q.trim().startsWith("{") ? place.value.q.trim() : ""));

/** The events that the pattern in the filter matches; null while none is in it, or it has not been matched yet. */
export const matching = matchesOf(pattern);

/** Events that the filter and the chosen survey let through, newest first. */
export const filtered = computed(() => {
  const { q, survey } = place.value;
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const numbers = matching.value?.numbers;
  const isMeant = (row: EventRow): boolean => {
    if (survey !== "" && surveyKey(row.source, row.surveyId) !== survey) return false;
    return pattern.value === "" ? hasWords(row, words) : numbers?.has(row.number) !== false;
  };
  return events.value.filter(isMeant).reverse();
});

function hasWords(row: EventRow, words: readonly string[]): boolean {
  const { type, survey, surveyId, responseId, nps, origin, eventId, missing } = row;
  const text = [type, survey, surveyId, responseId, nps?.class, nps?.score, origin, eventId, ...missing];
  const searched = text.join(" ").toLowerCase();
  return words.every((word) => searched.includes(word));
}
