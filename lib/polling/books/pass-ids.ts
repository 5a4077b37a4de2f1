import type { PollContext } from "../context.ts";
import type { IdsRef, Pass } from "../model/books.ts";
import { dropIds, keepIds, loadIds } from "./id-set.ts";

/** The ids that a pass over all pages has met. */
export interface PassIds {
  readonly all: ReadonlySet<number>;
  /** Ids among them that have no item: by their date alone they are before the floor. */
  readonly old: ReadonlySet<number>;
  has(responseId: number): boolean;
  add(responseId: number, isOld: boolean): void;
}

export function createPassIds(all = new Set<number>(), old = new Set<number>()): PassIds {
  return {
    all,
    old,
    has: (responseId) => all.has(responseId),
    add(responseId, isOld) {
      all.add(responseId);
      if (isOld) old.add(responseId);
      else old.delete(responseId);
    },
  };
}

/** The ids of the earlier slices of a pass; undefined where they are gone. */
export async function loadPassIds(
  ctx: PollContext,
  { ids, old }: Pick<Pass, "ids" | "old">,
): Promise<PassIds | undefined> {
  const [all, below] = await Promise.all([loadIds(ctx, ids), loadIds(ctx, old)]);
  return all === undefined || below === undefined ? undefined : createPassIds(all, below);
}

/** Keeps them under names of their own for each slice: the mark tells which are the right ones, also after a crash. */
export async function keepPassIds(ctx: PollContext, { all, old }: PassIds): Promise<{ ids: IdsRef; old: IdsRef }> {
  const [ids, below] = await Promise.all([keepIds(ctx, all, "pass"), keepIds(ctx, old, "pass-old")]);
  return { ids, old: below };
}

export async function dropPassIds(ctx: PollContext, { ids, old }: Pick<Pass, "ids" | "old">): Promise<void> {
  await Promise.all([dropIds(ctx, ids), dropIds(ctx, old)]);
}
