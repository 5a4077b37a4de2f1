import type { PageRead, SurveyService } from "../../lib/polling/index.ts";
import type { MemoryWorld } from "./memory-ports.ts";
import { surveyOf } from "./survey.ts";

/** What a read makes of a record: `read` counts reads of pages and single responses, `index` from 0 is its place in the list. */
export type Shown = (
  record: Record<string, unknown>,
  at: { read: number; page: number; index: number },
) => Record<string, unknown>;

const PAGE = 100;

/** What a service shows behind the end of the list: nothing, one of its pages again, or all of them. */
export type PastEnd = "nothing" | "last" | "first" | "round";

export interface ShownPages {
  pastEnd?: PastEnd;
  /** Records of each but the last; divides 100. */
  pageSize?: number;
}

/** Lets the service show each record as `tell` says. */
export function shownAs(
  world: MemoryWorld,
  tell: Shown,
  { pastEnd = "nothing", pageSize = PAGE }: ShownPages = {},
): void {
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
    definition: (...asked) => service.definition(...asked),
    async page(surveyId, page, order): Promise<PageRead> {
      const last = Math.max(1, Math.ceil(surveyOf(world, surveyId).records.length / pageSize));
      const again = { nothing: page, last, first: 1, round: 1 + ((page - 1) % last) }[pastEnd];
      const shown = page > last ? again : page;
      const first = (shown - 1) * pageSize;
      const answer = await service.page(surveyId, 1 + Math.floor(first / PAGE), order);
      if (answer.kind === "none") return answer;
      const records = answer.records.slice(first % PAGE, (first % PAGE) + pageSize);
      return { ...answer, records: told(records, page, first) };
    },
    async response(...asked) {
      const answer = await service.response(...asked);
      return answer.kind === "found" ? { ...answer, body: told(answer.body, 1, 0) } : answer;
    },
  } satisfies SurveyService;
}
