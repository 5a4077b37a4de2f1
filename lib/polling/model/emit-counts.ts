/** What became of the responses that a scan found. */
export interface EmitCounts {
  /** Not confirmed yet: left for a later scan. */
  held: number;
  /** Left to the next poll, because something failed for them alone. */
  left: number;
  emitted: number;
  waiting: number;
  quarantined: number;
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
  quarantined: 0,
  found: 0,
  repaired: 0,
  unfinished: false,
});
