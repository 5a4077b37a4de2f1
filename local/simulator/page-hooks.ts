/** Called at the `nth` page read of a survey (from 1); `order` is null when the request names none. */
export type PageHook = (surveyId: number, page: number, order: "asc" | "desc" | null, nth: number) => void;

/** Hooks around page reads: what they change is seen by this read (before) or only by the next one (after); `lists` at each survey list. */
export interface PageHooks {
  before: Set<PageHook>;
  after: Set<PageHook>;
  reads: Map<number, number>;
  lists: Set<() => void>;
}
