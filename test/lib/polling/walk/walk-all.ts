import type { PageRead } from "../../../../lib/polling/ports.ts";
import { isWhole, type Piece } from "../../../../lib/polling/walk/join.ts";
import { type WalkEnd, type WalkOptions, walk } from "../../../../lib/polling/walk/walk.ts";
import type { MovingList } from "../../../support/moving-list.ts";

export interface Walked {
  /** New responses, each once: whole ones, and those that an edge has cut. */
  whole: Piece[];
  cut: Piece[];
  met: Set<number>;
  end: WalkEnd;
}

/** Walks to the end, handing out new responses as the list's verdicts say. */
export async function walkAll(
  list: MovingList,
  options: Partial<Pick<WalkOptions, "from" | "shortPageEnds" | "proves">> & {
    read?: (page: number) => Promise<PageRead>;
    known?: Set<number>;
  } = {},
): Promise<Walked> {
  const met = new Set<number>();
  const dealt = new Set<number>(options.known);
  const whole: Piece[] = [];
  const cut: Piece[] = [];
  const isNew = (id: number): boolean => !dealt.has(id) && (list.ever.get(id)?.verdict ?? "whole") === "whole";
  const steps = walk({
    from: options.from ?? 1,
    proves: options.proves ?? "contents",
    read: options.read ?? list.read,
    otherFirst: async () => ({ kind: "none" }),
    shortPageEnds: options.shortPageEnds,
    judge: async ({ runs }) => {
      for (const { responseId } of runs) met.add(responseId);
    },
    isNew,
    isMet: (id) => options.known?.has(id) === true,
  });
  const take = (pieces: Piece[]): void => {
    for (const piece of pieces) {
      if (!isNew(piece.responseId)) continue;
      dealt.add(piece.responseId);
      (isWhole(piece) ? whole : cut).push(piece);
    }
  };
  for (;;) {
    const next = await steps.next();
    take(next.value.pieces);
    if (next.done) return { whole, cut, met, end: next.value };
  }
}
