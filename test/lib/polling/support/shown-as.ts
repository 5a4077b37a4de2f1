import type { PageRead, SurveyService } from "../../../../lib/polling/ports.ts";
import type { MemoryWorld } from "../../../support/memory-ports.ts";
import { surveyOf } from "./survey.ts";

/** What a read makes of a record: `read` counts reads of pages and single responses, `index` from 0 is its place in the list. */
export type Shown = (
  record: Record<string, unknown>,
  at: { read: number; page: number; index: number },
) => Record<string, unknown>;

const PAGE = 100;

/** What a service shows behind the end of the list: nothing, or one of its pages again. */
export type PastEnd = "nothing" | "last" | "first";

/** Lets the service show each record as `tell` says. */
export function shownAs(world: MemoryWorld, tell: Shown, { pastEnd = "nothing" }: { pastEnd?: PastEnd } = {}): void {
  const { service } = world.ports;
  let read = 0;
  const told = (records: unknown[], page: number, first: number): unknown[] => {
    read += 1;
    return records.map((record, i) => tell(record as Record<string, unknown>, { read, page, index: first + i }));
  };
  world.ports.service = {
    surveys: () => service.surveys(),
    metrics: (...asked) => service.metrics(...asked),
    metadata: (...asked) => service.metadata(...asked),
    async page(surveyId, page, order): Promise<PageRead> {
      const last = Math.max(1, Math.ceil(surveyOf(world, surveyId).records.length / PAGE));
      const again = { nothing: page, last, first: 1 }[pastEnd];
      const shown = page > last ? again : page;
      const answer = await service.page(surveyId, shown, order);
      return answer.kind === "page" ? { ...answer, records: told(answer.records, page, (shown - 1) * PAGE) } : answer;
    },
    async response(...asked) {
      const answer = await service.response(...asked);
      return answer.kind === "found" ? { ...answer, body: told(answer.body, 1, 0) } : answer;
    },
  } satisfies SurveyService;
}
