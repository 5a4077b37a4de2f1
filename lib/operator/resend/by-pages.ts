import { errorCode } from "../../errors.ts";
import { isWhole } from "../../polling/walk/join.ts";
import { type WalkEnd, walk } from "../../polling/walk/walk.ts";
import { type EmittedEntry, type Resending, type Resent, resent } from "./resending.ts";
import { sendSame } from "./send.ts";

/** Where a walk for responses goes on. Partial: something may have slipped through what was read so far. */
export interface ResendPlace {
  page: number;
  isPartial: boolean;
}

/**
 * Finds responses on the pages of the list, the newest first, and sends them, as far as the time goes. All seams are proved, so that what stands at the
 * edge of a page is joined, and what is not met is not listed.
 */
export async function resendByPages(
  ctx: Resending,
  entries: readonly EmittedEntry[],
  from: ResendPlace,
): Promise<{ results: Resent[]; left: number[]; from?: ResendPlace }> {
  const { ports, surveyId, mark } = ctx;
  const wanted = new Map(entries.map((entry) => [entry.id, entry]));
  const seen = new Set<number>();
  const isTimeUp = (): boolean => ports.clock.now() >= ctx.until;
  const steps = walk({
    from: from.page,
    proves: "coverage",
    read: (page) => ports.service.page(surveyId, page, "desc"),
    otherFirst: () => ports.service.page(surveyId, 1, "asc"),
    shortPageEnds: ctx.shortPageEnds,
    lastPage: mark.lastPage,
    knownPages: () => mark.lastPage ?? 0,
    judge: async ({ runs }) => {
      for (const { responseId } of runs) if (wanted.has(responseId)) seen.add(responseId);
    },
    isNew: (id) => wanted.has(id),
    isMet: () => true,
    // What ends the page may go on behind it.
    isEnough: ({ runs }) => seen.size === entries.length && !wanted.has(runs.at(-1)?.responseId ?? 0),
    isTimeUp,
  });
  const results: Resent[] = [];
  for (;;) {
    const next = await steps.next();
    const { pieces, position, covered, moved } = next.value;
    const read = pieces.flatMap((piece) => {
      const entry = wanted.get(piece.responseId);
      if (entry === undefined) return [];
      const { responseId, records } = piece;
      // Where records lie apart there may be more of it anywhere.
      const isAll = isWhole(piece) && !piece.apart && mark.contents.apart === undefined;
      return [{ entry, run: { responseId, records }, isWhole: isAll }];
    });
    results.push(...(await sendSame(ctx, read)));
    for (const { entry } of read) wanted.delete(entry.id);
    const place = { page: Math.max(1, position), isPartial: from.isPartial || !covered || moved };
    if (next.done && next.value.kind !== "time up") {
      const end = next.value;
      return { results: [...results, ...[...wanted.values()].map((entry) => notMet(entry, end, place))], left: [] };
    }
    if (!next.done && !isTimeUp()) continue;
    await steps.return(undefined as never);
    return { results, left: [...wanted.keys()], ...(wanted.size === 0 ? {} : { from: place }) };
  }
}

function notMet(entry: EmittedEntry, end: WalkEnd, { isPartial }: ResendPlace): Resent {
  // Closed books do not list it any more.
  if (entry.gone !== undefined) return resent(entry, "gone");
  if (end.kind === "failed") return resent(entry, "unproved", `page ${end.page}: ${errorCode(end.error)}`);
  if (end.kind !== "end" || end.isEmpty || isPartial)
    return resent(entry, "unproved", "the list moved while it was read");
  return resent(entry, "gone");
}
