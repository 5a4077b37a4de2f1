/** The outcomes of the responses that a walk found. */
export interface EmitCounts {
  /** Nothing proves their contents, poll after poll: dealt with until they are looked at again. */
  held: number;
  /** Left to the next poll: something failed for them alone, or nothing proved their contents yet. */
  left: number;
  emitted: number;
  waiting: number;
  refused: number;
  /** New responses dealt with. */
  found: number;
  /** Events that were short and have been replaced. */
  repaired: number;
  /** Whether the time was up before all were dealt with. */
  unfinished: boolean;
}

export const noEmits = (): EmitCounts => ({
  held: 0,
  left: 0,
  emitted: 0,
  waiting: 0,
  refused: 0,
  found: 0,
  repaired: 0,
  unfinished: false,
});
