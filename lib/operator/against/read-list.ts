import {
  type BooksOpen,
  classOf,
  completedAt,
  isAnchor,
  type ReadEnd,
  type Run,
  type RunClass,
  readPages,
  type SurveyService,
  startedAt,
  toPage,
} from "../../polling/index.ts";

// The whole list of a survey, read as the poller reads it for its books, without a ledger.

/** A listed response, as it was met last. Dates are as the service writes them. */
export interface ListedResponse {
  id: number;
  state: RunClass;
  started: string | null;
  completed: string | null;
  page: number;
  records: number;
  /** Met open before, and completed since. */
  wasOpen: boolean;
  /** On a page that another look showed differently. */
  moved: boolean;
}

/** What is known of a list so far: as JSON it is the place from which another process reads on. */
export interface ListPlace {
  /** The first page that was not dealt with. */
  page: number;
  rows: ListedResponse[];
  covered: boolean;
  moved: boolean;
  skipped: number[];
  isOver: boolean;
}

/** A list that was read to its end, or as far as it could be read. */
export interface ReadList {
  rows: readonly ListedResponse[];
  pages: number;
  moved: boolean;
  /** Why something may have slipped through; undefined where nothing that was listed all the time can have. */
  open: BooksOpen | undefined;
  isOver: boolean;
}

export interface ListReading {
  service: Pick<SurveyService, "page">;
  surveyId: number;
  /** Responses by the survey list, which may count what is not listed. */
  counted: number;
  /** Told after each page, beside how many there may be. */
  onPage?: (page: number, pages: number) => void;
}

/** Pages in a row that fail, after which the rest is left. */
const MOST_FAILED = 3;

/** Reads all pages that are left, each twice. A page that cannot be read is skipped. */
export async function readList(list: Listing, reading: ListReading): Promise<ReadList> {
  const { place, skipped, met } = list;
  while (!place.isOver) {
    const end = await readOn(list, reading);
    place.isOver = end.kind !== "failed";
    if (end.kind !== "failed") continue;
    skipped.add(end.page);
    const isStuck = Array.from({ length: MOST_FAILED }, (_, i) => end.page - i).every((page) => skipped.has(page));
    if (isStuck) break;
  }
  const rows = [...met.values()];
  const pages = rows.reduce((most, { page }) => Math.max(most, page), 0);
  return { rows, pages, moved: place.moved, open: await whyOpen(list, reading), isOver: place.isOver };
}

async function readOn(list: Listing, { service, surveyId, counted, onPage }: ListReading): Promise<ReadEnd> {
  const { place, skipped, met } = list;
  const { covered, moved } = place;
  const steps = readPages({
    kind: "full",
    from: Math.max(1, place.page - 1),
    async read(number) {
      const read = await service.page(surveyId, number, "asc");
      list.look(number, toPage(number, read)?.runs ?? []);
      return read;
    },
    skips: skipped,
    classify: async () => undefined,
    expected: { responses: counted, lastPage: 0 },
    isAnchor: (page) => isAnchor(page, list),
  });
  for await (const step of steps) {
    for (const fragment of step.fragments) list.meet(fragment, fragment.page);
    place.covered = covered && step.covered;
    place.moved = moved || step.moved;
    place.page = Math.max(1, step.position);
    if (step.end !== undefined) return step.end;
    const page = step.page?.number ?? 0;
    const pages = Math.ceil((counted * page) / Math.max(1, met.size));
    onPage?.(page, Math.max(page, pages));
  }
  throw new TypeError("a read has no end");
}

async function whyOpen(
  { place, skipped, met }: Listing,
  { service, surveyId, counted }: ListReading,
): Promise<BooksOpen | undefined> {
  if (!place.covered) return { code: "pages-moved" };
  if (skipped.size > 0) return { code: "pages-unreachable", pages: [...skipped] };
  if (met.size === 0) return counted > 0 ? { code: "read-as-empty" } : undefined;
  // The first page of the other order has to show something that was met. What it shows besides came meanwhile.
  const head = toPage(1, await service.page(surveyId, 1, "desc"))?.runs ?? [];
  return head.some(({ responseId }) => met.has(responseId)) ? undefined : { code: "range-unreachable" };
}

const BEGINNING: ListPlace = { page: 1, rows: [], covered: true, moved: false, skipped: [], isOver: false };

/** Looks that are remembered: more pages than stand in one window. */
const LOOKS_KEPT = 30;

/** The responses of a list that were met so far, from the place on where an earlier reading has ended. */
export class Listing {
  readonly place: Omit<ListPlace, "rows" | "skipped">;
  readonly skipped: Set<number>;
  /** One that is met again moves to where it stands now. */
  readonly met: Map<number, ListedResponse>;
  private readonly looks = new Map<number, string>();
  private readonly movedPages = new Set<number>();
  private readonly seenOpen = new Set<number>();

  constructor({ rows, skipped, ...place }: ListPlace = BEGINNING) {
    this.place = place;
    // Another reading tries again what was left.
    this.skipped = new Set(skipped.filter((page) => place.isOver || page < place.page));
    this.met = new Map(rows.map((row) => [row.id, row]));
    for (const { id, state, wasOpen } of rows) if (wasOpen || state === "open") this.seenOpen.add(id);
  }

  get size(): number {
    return this.met.size;
  }

  has(id: number): boolean {
    return this.met.has(id);
  }

  hasCompleted(id: number): boolean {
    const state = this.met.get(id)?.state;
    return state !== undefined && state !== "open";
  }

  meet(run: Run, page: number): void {
    const { responseId: id, records } = run;
    const state = classOf(run);
    this.met.delete(id);
    this.met.set(id, {
      ...{ id, state, started: startedAt(run), completed: completedAt(run), page, records: records.length },
      wasOpen: state === "completed" && this.seenOpen.has(id),
      moved: this.movedPages.has(page),
    });
  }

  /** Remembers what a page shows, and whether it showed something else before. A page that has only grown has not moved. */
  look(page: number, runs: readonly Run[]): void {
    for (const run of runs) if (classOf(run) === "open") this.seenOpen.add(run.responseId);
    const now = runs.map((run) => `${run.responseId} ${classOf(run)} ${run.records.length},`).join("");
    const before = this.looks.get(page);
    if (before !== undefined && !now.startsWith(before)) this.movedPages.add(page);
    this.looks.set(page, now);
    this.looks.delete(page - LOOKS_KEPT);
  }

  toPlace(): ListPlace {
    return { ...this.place, rows: [...this.met.values()], skipped: [...this.skipped] };
  }
}
