import type { PollContext } from "../context.ts";
import type { IdsRef } from "../model/books.ts";

// Sets of response ids as they are kept between the slices of a pass: sorted, each id as its distance from the one before, seven bits a byte. An id takes about two
// bytes, so a million of them are 2 MB.

/** A set this small stays in the mark. */
const MOST_INLINE = 600;

export function encodeIds(ids: Iterable<number>): string {
  const sorted = [...ids].sort((a, b) => a - b);
  const bytes: number[] = [];
  let before = 0;
  for (const id of sorted) {
    let rest = id - before;
    before = id;
    while (rest >= 0x80) {
      bytes.push((rest % 0x80) + 0x80);
      rest = Math.floor(rest / 0x80);
    }
    bytes.push(rest);
  }
  return Buffer.from(bytes).toString("base64");
}

export function decodeIds(text: string): Set<number> {
  const ids = new Set<number>();
  let before = 0;
  let rest = 0;
  let place = 1;
  for (const byte of Buffer.from(text, "base64")) {
    rest += (byte % 0x80) * place;
    if (byte >= 0x80) {
      place *= 0x80;
      continue;
    }
    before += rest;
    ids.add(before);
    rest = 0;
    place = 1;
  }
  return ids;
}

/** Keeps a set under a name of its own, so that whoever still works with an older one is not disturbed. */
export async function keepIds(ctx: PollContext, ids: ReadonlySet<number>, name: string): Promise<IdsRef> {
  const text = encodeIds(ids);
  if (text.length <= MOST_INLINE) return { inline: text };
  const key = `ids/${ctx.source.name}/${ctx.surveyId}/${ctx.lease.fence}-${ctx.ports.clock.now()}-${name}.json`;
  await ctx.ports.vault.put(key, text);
  return { key };
}

/** The ids kept under `ref`; undefined when they are gone. */
export async function loadIds(ctx: PollContext, ref: IdsRef | undefined): Promise<Set<number> | undefined> {
  if (ref === undefined) return new Set();
  if ("inline" in ref) return decodeIds(ref.inline);
  const text = await ctx.ports.vault.get(ref.key);
  return typeof text === "string" ? decodeIds(text) : undefined;
}

/** Deletes what is no longer referred to; what cannot be deleted now goes by the bucket's lifecycle. */
export async function dropIds(ctx: PollContext, ref: IdsRef | undefined): Promise<void> {
  if (ref === undefined || "inline" in ref) return;
  await ctx.ports.vault.delete(ref.key).catch(() => undefined);
}
