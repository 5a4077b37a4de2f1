/** Golden events that can be sent, by the word for what is particular about them: the file in contract/golden, and what it is. */
export const KINDS = {
  promoter: ["ordinary", "a promoter without a comment"],
  detractor: ["detractor", "a detractor"],
  comment: ["comment", "with a comment"],
  large: ["large", "its answers lie in the bucket"],
  incomplete: ["incomplete", "without metrics, metadata and questions"],
  irregular: ["irregular", "with fields that are not as documented"],
  matrix: ["matrix", "with a matrix, whose answers have no labels"],
  other: ["other", "with answers beside the choices"],
  "extra-field": ["extra-field", "with fields that the API document does not have"],
  "ambiguous-date": ["ambiguous-date", "completed while a clock was set back"],
  minimal: ["minimal", "all that can be null or empty is"],
  "unknown-future-field": ["unknown-future-field", "with what a later version may add"],
  test: ["test", "a promoter, as the contract's own test event"],
  updated: ["updated", "the promoter with another answer"],
  deleted: ["deleted", "the promoter is listed no more"],
  books: ["books-closed", "closed books over the promoter and the detractor"],
  "survey-changed": ["survey-changed", "the survey was edited"],
} as const satisfies Record<string, readonly [golden: string, about: string]>;

export type Kind = keyof typeof KINDS;
export const kinds = Object.keys(KINDS) as Kind[];
