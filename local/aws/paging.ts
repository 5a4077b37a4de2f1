import { AwsError } from "./aws-json.ts";

/** Cuts a list for an answer with a continuation token (the position, so only good while the list stays). */
export function page<T>(
  items: readonly T[],
  limit: number | undefined,
  token: string | undefined,
): { items: T[]; NextToken?: string } {
  const start = token === undefined ? 0 : Number(token);
  if (!Number.isInteger(start) || start < 0) throw new AwsError("ValidationException", "NextToken is not valid.");
  const end = start + (limit ?? 100);
  return { items: items.slice(start, end), ...(end < items.length ? { NextToken: String(end) } : {}) };
}
