import type { PollContext } from "../context.ts";
import type { IdsRef, Pass } from "../model/books.ts";
import { dropIds, keepIds, loadIds } from "./id-set.ts";

/** The ids that a pass over all pages has met. */
export interface PassIds {
  readonly all: ReadonlySet<number>;
  has(responseId: number): boolean;
  add(responseId: number): void;
}

export function createPassIds(all = new Set<number>()): PassIds {
  return { all, has: (responseId) => all.has(responseId), add: (responseId) => void all.add(responseId) };
}

/** The ids of the earlier slices of a pass; undefined where they are gone. */
export async function loadPassIds(ctx: PollContext, { ids }: Pick<Pass, "ids">): Promise<PassIds | undefined> {
  const all = await loadIds(ctx, ids);
  return all === undefined ? undefined : createPassIds(all);
}

/** Keeps them under a name of their own for each slice: the mark tells which are the right ones, also after a crash. */
export async function keepPassIds(ctx: PollContext, { all }: PassIds): Promise<{ ids: IdsRef }> {
  return { ids: await keepIds(ctx, all, "pass") };
}

export function dropPassIds(ctx: PollContext, { ids }: Pick<Pass, "ids">): Promise<void> {
  return dropIds(ctx, ids);
}
