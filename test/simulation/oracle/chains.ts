import { isDeepStrictEqual } from "node:util";
import type { World } from "../world.ts";

/** An event about a survey as a whole. */
interface Numbered {
  meta: { eventId: string; sequence: number };
  data: { surveyId: number };
}

interface Rules<E> {
  /** The promise that is broken by one that is wrong. */
  rule: string;
  type: string;
  /** What is wrong with one beside the one before; undefined when nothing is. */
  wrongLink(detail: E, last: E | undefined): string | undefined;
  /** Called where the bus has it once more. */
  repeated?(): void;
}

/** The events of one type, by survey: one content for each id, and each has the next number. */
export function createChains<E extends Numbered>(world: World, { rule, type, wrongLink, repeated }: Rules<E>) {
  const chains = new Map<number, E[]>();
  const of = (surveyId: number): readonly E[] => chains.get(surveyId) ?? [];
  return {
    of,
    delivered(detail: E): void {
      const { eventId, sequence } = detail.meta;
      const { surveyId } = detail.data;
      const violate = (wrong: string): void =>
        world.violate(rule, `${type} ${sequence} of survey ${surveyId} ${wrong}`);
      const chain = of(surveyId);
      const same = chain.find(({ meta }) => meta.eventId === eventId);
      if (same !== undefined) {
        repeated?.();
        if (!isDeepStrictEqual(same, detail)) violate("came with two contents");
        return;
      }
      if (sequence !== chain.length + 1) violate("does not follow the one before");
      const wrong = wrongLink(detail, chain.at(-1));
      if (wrong !== undefined) violate(wrong);
      chains.set(surveyId, [...chain, detail]);
    },
  };
}
