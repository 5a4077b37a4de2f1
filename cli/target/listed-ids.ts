import { decodeIds } from "../../lib/polling/books/id-set.ts";
import type { Mark } from "../../lib/polling/model/mark.ts";

/** The ids that the last closed books list; undefined where there are none, or the set may not be read. */
export async function listedIdsOf(
  { books, listedIds }: Mark,
  bucket: { get(key: string): Promise<unknown> },
): Promise<ReadonlySet<number> | undefined> {
  if (books === undefined || listedIds === undefined) return undefined;
  const text = "inline" in listedIds ? listedIds.inline : await bucket.get(listedIds.key).catch(() => undefined);
  return typeof text === "string" ? decodeIds(text) : undefined;
}
