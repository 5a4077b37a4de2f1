/** How long a list is, by the count that the survey list shows and what was read of it: a guess, for the count may be of anything. */
export interface ListLength {
  /** Notes one more page and how many responses were met on it for the first time. */
  met(responses: number): void;
  /** Pages behind this one; negative where the list was to have ended before; undefined while nothing tells. */
  left(page: number): number | undefined;
}

export function guessLength(listed: number | undefined): ListLength {
  let pages = 0;
  let responses = 0;
  return {
    met(more) {
      pages += 1;
      responses += more;
    },
    left: (page) =>
      listed === undefined || responses === 0 ? undefined : Math.round((listed * pages) / responses) - page,
  };
}
