import type { PollContext } from "../context.ts";
import { toPage } from "../walk/pages.ts";
import { headOrder } from "./news-end.ts";

/** Empty lists that are not believed while something says that there are responses. */
const MOST_EMPTY_READS = 10;

/** Whether a list that was read as empty is to be taken for one: after some polls, though something says otherwise. */
export function believesEmpty({ mark }: Pick<PollContext, "mark">): boolean {
  if ((mark.emptyReads ?? 0) >= MOST_EMPTY_READS) return true;
  mark.emptyReads = (mark.emptyReads ?? 0) + 1;
  return false;
}

/**
 * Whether the end of a list that a first pass has reached is its end: a survey that is gone for a moment looks the same,
 * and what was not met would be taken for new once it is back. One request.
 */
export async function isStillThere(ctx: PollContext): Promise<boolean> {
  const { surveyId, mark, ports } = ctx;
  if (!wasThere(ctx)) return true;
  const page = toPage(1, await ports.service.page(surveyId, 1, headOrder(mark)));
  return page !== undefined || believesEmpty(ctx);
}

/** Whether a scan that met an empty list has met the end of it, whatever a further look would show: by then the survey may be back. */
export function isNoMoment(ctx: PollContext): boolean {
  return !wasThere(ctx) || believesEmpty(ctx);
}

function wasThere({ listedCount = 0, newestSeen, mark }: PollContext): boolean {
  const { floor, highWater } = mark;
  return listedCount > 0 || newestSeen !== undefined || highWater !== undefined || (floor?.at ?? null) !== null;
}
