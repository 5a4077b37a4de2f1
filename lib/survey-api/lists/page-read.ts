import { BadRequestError, NotFoundError } from "../errors.ts";
import type { DataOperation } from "../operations.ts";

/** One read of a page: its records, or that there is no such page. */
export type PageRead<R> = { kind: "page"; records: R[] } | { kind: "none" };

/**
 * The meaning of a read of a page. Behind the end of a list services answer with an empty page, 204, 404 or 400: all of these are `none`. A
 * 400 for page 1 is a bad request. An error about something else, such as the token or the list of surveys, says nothing about the page.
 *
 * @throws any other error of the read
 */
export async function pageRead<R>(operation: DataOperation, page: number, read: Promise<R[]>): Promise<PageRead<R>> {
  try {
    const records = await read;
    return records.length === 0 ? { kind: "none" } : { kind: "page", records };
  } catch (error) {
    const isNone = error instanceof NotFoundError || (error instanceof BadRequestError && page > 1);
    if (isNone && error.operation === operation) return { kind: "none" };
    throw error;
  }
}
