import { type Carry, join, type Piece, type Seam } from "./join.ts";
import type { Page } from "./page.ts";

/** Pages read at once, at most. And the pages that lie before each of them, where nobody knows how long the list is (R5). */
const MOST_AHEAD = 12;
const PAGES_FOR_ONE = 6;
/** Movements in a row at one place after which it is given out as it is (R5). */
const MOST_MOVEMENTS = 6;

/** One look at a page number. */
export interface Look {
  number: number;
  /** Absent where there is no such page, or it could not be read. */
  page?: Page;
  /** Why it could not be read. */
  error?: unknown;
  /** Whether the list ends before it, as far as this look tells; it is no page of the list then. */
  ends: boolean;
  /** Set where it was not looked at: it is known to be behind the end, or to fail. */
  isGuess?: "behind the end" | "stepped over";
}

/** Where a walk stands. The functions of this file alone change it. */
export interface Course {
  /** The page to read next, and how many are read at once. */
  next: number;
  ahead: number;
  /** Number of the round: the pages of one, and the one before them, stood so at one moment. */
  round: number;
  /** Looks that have not been given out, in their order. */
  held: Look[];
  /** How the first of them meets what was given out before it. */
  seam: Seam;
  /** Whether what comes before these pages was dealt with; how far to go back where it was not (R7). */
  onGround: boolean;
  stride: number;
  /** The responses of the last page given out. */
  carry: Carry;
  /** The last page given out so far, and how often something has moved since. */
  furthest: number;
  movements: number;
  /** The responses handed out: the last ones (R10). */
  met: Set<number>;
  /** Whether nothing that was listed all the time can have slipped through, but on a page that was stepped over. Whether the list was seen to move. */
  covered: boolean;
  moved: boolean;
  /** Pages that it has stepped over. */
  steppedOver: number[];
}

export function begin(from: number): Course {
  return {
    next: from,
    ahead: 1,
    round: 0,
    held: [],
    seam: from === 1 ? "start" : "open",
    onGround: from === 1,
    stride: 1,
    carry: [],
    furthest: 0,
    movements: 0,
    met: new Set(),
    covered: true,
    moved: false,
    steppedOver: [],
  };
}

/** Begins again at another page, without anything of what was read. */
function goTo(course: Course, page: number): void {
  const { next, seam, onGround, ahead, held, carry } = begin(Math.max(1, page));
  Object.assign(course, { next, seam, onGround, ahead, held, carry });
}

/** Goes back from a page on which it cannot stand, twice as far each time (R7). */
export function goBack(course: Course): void {
  const [first] = course.held;
  goTo(course, (first?.number ?? course.next) - course.stride);
  course.stride *= 2;
}

/** Stands on a page: everything before it was dealt with. */
export function stand(course: Course): void {
  course.onGround = true;
  course.stride = 1;
}

/** Goes back to the page before the one that has changed. False where that has happened so often that the place is given out as it is. */
export function stepBack(course: Course, changed: number, isNew: (responseId: number) => boolean): boolean {
  course.moved = true;
  course.movements += 1;
  if (course.movements > MOST_MOVEMENTS) return false;
  // The first response that was not handed out yet begins there (R7).
  const undealt = course.carry.filter(({ responseId }) => isNew(responseId)).map(({ page }) => page);
  // fault: goes-on-where-changed
  goTo(course, Math.min(changed - 1, ...undealt));
  return true;
}

/** Gives out the next page: the responses that have ended by it. */
export function giveOut(course: Course, page: Page, seam: Seam): Piece[] {
  const { pieces, carry } = join(course.carry, { page: page.number, runs: page.runs, seam });
  course.carry = carry;
  for (const { responseId } of pieces) {
    course.met.delete(responseId);
    course.met.add(responseId);
  }
  forgetOldest(course.met);
  if (page.number > course.furthest) {
    course.furthest = page.number;
    course.movements = 0;
  }
  return pieces;
}

/** Leaves out a page that fails each time (R9). */
export function stepOver(course: Course, page: number): void {
  goBehind(course, page);
  course.steppedOver.push(page);
}

/** Leaves a page that moves at each look as it is. Nobody knows what has slipped past it. */
export function giveUp(course: Course, page: number): void {
  goBehind(course, page);
  course.covered = false;
}

function goBehind(course: Course, page: number): void {
  Object.assign(course, { next: page + 1, held: [], seam: "open", ahead: 1 } satisfies Partial<Course>);
}

/** The first page of which not everything is dealt with: where a response goes on behind a page, the one on which it begins (R7). */
export function positionOf({ carry }: Course, page: number, isNew: (responseId: number) => boolean): number {
  return Math.min(page, ...carry.filter(({ responseId }) => isNew(responseId)).map((piece) => piece.page));
}

/** Goes on behind what is held, of which all but the last was given out. `seam`: how that one meets it. `known`: the last page that seems to be there. */
export function goOn(course: Course, seam: Seam, mostAhead: number, known: number): void {
  const [last] = course.held.slice(-1);
  if (course.held.length > 1) course.seam = seam;
  course.next = (last?.number ?? course.next) + 1;
  course.held = last === undefined ? [] : [last];
  const ahead = Math.max(Math.floor(course.next / PAGES_FOR_ONE), known - course.next + 1);
  course.ahead = Math.max(1, Math.min(ahead, course.ahead * 2, mostAhead, MOST_AHEAD));
}

/** Responses remembered in a walk: enough for any shift, and no list of a million (R10). */
const MOST_REMEMBERED = 20_000;

/** Forgets those that were noted first. */
export function forgetOldest(some: Map<number, unknown> | Set<number>): void {
  for (const id of some.keys()) {
    if (some.size <= MOST_REMEMBERED) return;
    some.delete(id);
  }
}
