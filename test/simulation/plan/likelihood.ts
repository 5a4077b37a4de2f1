import type { Random } from "../engine/random.ts";

// What a history is made of follows how likely it is. Three histories in four draw what ordinary paginated services do.
// The others are from the odd corner: they draw from all that a service may do.

const ODD_SHARE = 0.25;
export const ODD_CORNER = "odd-corner";

/** What no ordinary service does, by the names of its ingredients: only histories of the odd corner draw it. */
export const oddCorner = [
  // The list: its order, where records stand, how it ends, and what comes of it as a whole.
  "key:hash",
  "key:reversed",
  "layout",
  "pages:short",
  "past-end:repeat",
  "past-end:fault",
  "pages-fail",
  "survey-hidden",
  "survey-gone",
  "purge",
  "list:replicas",
  // What is read.
  "twins",
  "volatile",
  "orphan-records",
  "metrics-as",
  "metadata-as",
  "survey-ids",
  "created-odd",
  "counts:lying",
  "counts:odd",
  // Operation 9: for all responses of a survey, and for one for ever.
  "operation-9:gone",
  "operation-9:more",
  "operation-9:fewer",
  "operation-9:bare",
  "operation-9:failing",
  "single:never",
  "single:failing-for-ever",
  // The service is another one from a moment on.
  "flip:sortKey",
  "flip:counts",
  "flip:shortPages",
  "flip:volatile",
] as const;

/** What a history leaves out, given what it is to leave out anyway; `random` has a stream for this choice alone. */
export function planLeftOut(random: Random, cut: ReadonlySet<string>, met: Set<string>): ReadonlySet<string> {
  if (!random.chance(ODD_SHARE) || cut.has(ODD_CORNER)) return new Set([...cut, ...oddCorner]);
  met.add(ODD_CORNER);
  return cut;
}
