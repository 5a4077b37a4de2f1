import type { DateRange } from "../../../lib/polling/model/phase.ts";
import { InterruptedError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import type { ProgressLine } from "../../progress.ts";
import type { Target } from "../../target/target.ts";

export interface CountOf {
  target: Target;
  source: string;
  surveyId: number;
  range: DateRange;
  /** Whether the books of the survey have ever closed. */
  hasBooks: boolean;
  /** Of the list, as far as is known. */
  pages: number;
  io: Io;
  progress: ProgressLine;
}

/** Ids of the responses that a backfill would emit, by a look at every page. Nothing is changed. */
export async function countHistory(of: CountOf): Promise<number[]> {
  const { target, source, surveyId, range, hasBooks, pages, io, progress } = of;
  const ids = new Set<number>();
  let next: { page: number; first?: string; before?: string } | undefined = { page: 1 };
  while (next !== undefined) {
    if (io.signal.aborted) throw new InterruptedError();
    const { page } = next;
    progress.update(`survey ${surveyId}: page ${page} of ${Math.max(page, pages)} counted`, (page - 1) / pages);
    const input = { surveyId, range, hasBooks, ...next };
    const part: { ids: number[]; next?: typeof next } = await target.operate(source, "history", input);
    for (const id of part.ids) ids.add(id);
    next = part.next;
  }
  return [...ids];
}
