import { hashFraction } from "./hashing.ts";
import { repeatOf, type SimulatedResponse } from "./responses.ts";

/** Where record `slot` of a response comes from: the record whose question it shares, and which repeat of it it is. */
export interface RecordSlot {
  source: number;
  /** 0 for the record itself and for identical repeats, else the number of the row. */
  row: number;
}

export function recordSlot(seed: number, response: SimulatedResponse, slot: number): RecordSlot {
  const repeat = repeatOf(seed, response);
  if (slot <= repeat.slot) return { source: slot, row: 0 };
  if (slot > repeat.slot + repeat.copies) return { source: slot - repeat.copies, row: 0 };
  return { source: repeat.slot, row: repeat.identical ? 0 : slot - repeat.slot };
}

/**
 * The question (0-based position in the survey) that record `slot` answers. A response answers some of the questions, ascending. Only one
 * with more records than there are questions has several for each.
 */
export function questionIndex(seed: number, response: SimulatedResponse, slot: number, questions: number): number {
  const own = response.records - repeatOf(seed, response).copies;
  const { source } = recordSlot(seed, response, slot);
  const shift = own <= questions ? hashFraction(seed, response.responseId, 30) : 0;
  return Math.min(questions - 1, Math.floor(((source + shift) * questions) / own));
}
