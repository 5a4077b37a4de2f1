import type { z } from "zod";

/** Which part of a batch request is done. */
export interface PartialPlan {
  /** The request with the failing entries taken out; absent when none is left. */
  body: Buffer | undefined;
  /** Puts the failures into the service's answer (of the reduced request, or of none). */
  merge(answer: Buffer | undefined): Buffer;
}

/** `throttle` where the service fails a batch as a whole instead. */
export type Planner = (body: Buffer, random: () => number) => PartialPlan | "throttle";

/** Chooses which entries fail: at least one, and not all when there are several. */
export function chooseFailing(count: number, random: () => number): Set<number> {
  const wanted = count < 2 ? count : 1 + Math.floor(random() * (count - 1));
  const left = Array.from({ length: count }, (_, index) => index);
  const failing = new Set<number>();
  while (failing.size < wanted) {
    const [index] = left.splice(Math.floor(random() * left.length), 1);
    if (index !== undefined) failing.add(index);
  }
  return failing;
}

export function parse<T>(schema: z.ZodType<T>, body: Buffer | undefined, empty: string): T {
  return schema.parse(JSON.parse(body === undefined ? empty : body.toString("utf8")));
}

export function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
