import type { SourceConfig } from "../../../lib/config/index.ts";
import type { CheckedState } from "../../../lib/polling/model/ledger-entry.ts";
import { placeOf } from "../../../lib/polling/model/phase.ts";
import { selected } from "../../../lib/polling/model/source.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { countDue, readSource, type SurveyState, tableOf } from "../../target/state.ts";
import type { Target } from "../../target/target.ts";
import type { SourceStatus, StatusAnswer, SurveyStatus } from "./answer.ts";
import { problemOf, verdictOf } from "./verdict.ts";

const KINDS = ["open", "waiting", "held", "quarantined", "refused"] as const satisfies CheckedState[];
const PER_PAGE = 100;

/** Reads where these sources stand, and says it in one sentence. */
export async function readStatus(target: Target, sources: readonly SourceConfig[], now: number): Promise<StatusAnswer> {
  const found: { sources: SourceStatus[]; surveys: SurveyStatus[] } = { sources: [], surveys: [] };
  for (const source of sources) {
    const { account, surveys } = await readSource(target, source.name);
    const outages = (["metrics", "metadata"] as const).filter((kind) => account.breakers?.[kind].phase === "open");
    const status = {
      source: source.name,
      lastTick: account.lastTick ?? null,
      pausedUntil: account.pausedUntil ?? null,
      outages,
    };
    found.sources.push({ ...status, problem: problemOf(status, { interval: source.interval, now }) });
    const chosen = surveys.filter(({ surveyId }) => selected(surveyId, source.surveys));
    found.surveys.push(...(await Promise.all(chosen.map((survey) => statusOf(target, source.name, survey)))));
  }
  return { ...verdictOf({ ...found, flags: target.flags, now }), ...found };
}

async function statusOf(target: Target, source: string, { surveyId, row, mark }: SurveyState): Promise<SurveyStatus> {
  const table = tableOf(target);
  const counts = await askingAws("the table could not be read", () =>
    Promise.all(KINDS.map(async (kind) => [kind, await countDue(table, source, surveyId, kind)] as const)),
  );
  const { books } = mark;
  return {
    source,
    surveyId,
    name: mark.survey?.facts.name ?? null,
    phase: mark.phase.kind,
    lastPoll: row?.polledAt ?? null,
    highWater: mark.highWater ?? null,
    now: Object.fromEntries(counts) as SurveyStatus["now"],
    catchUp: catchUpOf(mark, row),
    books:
      books === undefined
        ? null
        : {
            listed: books.listed,
            emitted: books.emitted,
            beforeFloor: books.beforeFloor,
            open: books.open,
            waiting: books.waiting,
            held: books.held,
            quarantined: books.quarantined,
            refused: books.refused,
            closedAt: books.closedAt,
          },
    booksOpen: mark.booksOpen ?? null,
    unaccounted: mark.unaccounted ?? 0,
  };
}

function catchUpOf(mark: SurveyState["mark"], row: SurveyState["row"]): SurveyStatus["catchUp"] {
  const place = placeOf(mark);
  if (place === undefined) return null;
  const listed = row?.counts[0] ?? null;
  // A record is one answer of a response, and how many a response has nobody says: a first pass has no end that is known.
  const pages = mark.lastPage ?? (listed === null ? null : Math.max(place.page, Math.ceil(listed / PER_PAGE)));
  return { page: place.page, pages, part: pages === null ? null : Math.min(1, (place.page - 1) / pages) };
}
