import { computed, effect, signal } from "@preact/signals";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { ORIGINS } from "../../cli/verbs/status/answer.ts";
import { nameShown, surveyName } from "../../cli/words.ts";
import type { EventRow } from "../changes.ts";
import { clock, figure, span } from "./format.ts";
import { go, place } from "./place.ts";
import { act, isRefused } from "./server.ts";
import { events, filtered, isDemo, matching, snapshot } from "./state.ts";

/** The rows that are shown during a pause; null while it is live. */
const frozen = signal<{ rows: EventRow[]; last: number } | null>(null);

export const isPaused = computed(() => frozen.value !== null);
export const rows = computed(() => frozen.value?.rows ?? filtered.value);
/** Events that have come since it was paused. */
const news = computed(() => {
  const since = frozen.value?.last;
  if (since === undefined) return 0;
  const found = filtered.value.findIndex(({ number }) => number <= since);
  return found < 0 ? filtered.value.length : found;
});

export function pause(): void {
  frozen.value ??= { rows: filtered.peek(), last: events.peek().at(-1)?.number ?? 0 };
}

/** Number of the row that was chosen: a repeat has the event id of another row. */
const chosen = signal<number | null>(null);

/** Where the chosen event stands; -1 where it does not. */
function indexOfChosen(all: readonly EventRow[]): number {
  const { event } = place.value;
  if (event === "") return -1;
  const exact = all.findIndex(({ number, eventId }) => number === chosen.value && eventId === event);
  return exact < 0 ? all.findIndex(({ eventId }) => eventId === event) : exact;
}

function choose({ number, eventId }: EventRow, panel = place.peek().panel): void {
  chosen.value = number;
  go({ event: eventId, panel });
}

export function move(by: number): void {
  pause();
  const all = rows.peek();
  const at = indexOfChosen(all);
  const next = all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))];
  if (next !== undefined) choose(next);
}

let asked = "";
// Another filter, or another run: what was frozen says nothing any more.
let filters = "";
effect(() => {
  const { q, survey } = place.value;
  const now = JSON.stringify([q, survey, snapshot.value?.run]);
  if (now !== filters) {
    frozen.value = null;
    asked = "";
  }
  filters = now;
});

// A pattern is matched by the server, which has the events whole, whenever there are new ones: at most once a second.
const MATCH_EVERY = 1_000;
let isAsking = false;
export function keepMatching(): void {
  setInterval(() => void matchPattern(), MATCH_EVERY);
  effect(() => {
    if (place.value.q.trim().startsWith("{")) void matchPattern();
    else matching.value = null;
  });
}

async function matchPattern(): Promise<void> {
  const pattern = place.peek().q.trim();
  if (!pattern.startsWith("{") || isAsking) return;
  const last = events.peek().at(-1)?.number ?? 0;
  if (asked === `${last} ${pattern}`) return;
  asked = `${last} ${pattern}`;
  isAsking = true;
  try {
    const parsed: unknown = JSON.parse(pattern);
    const found = await act<{ numbers: number[] }>("/match", parsed);
    matching.value = isRefused(found)
      ? { pattern, numbers: new Set(), error: found.error }
      : { pattern, numbers: new Set(found.numbers), error: "" };
  } catch {
    matching.value = { pattern, numbers: new Set(), error: "This is no JSON yet." };
  } finally {
    isAsking = false;
  }
}

/** Pixels: a row has one height, so that only those in sight are made. */
const ROW = 28;
const BEYOND = 8;

const scrolled = signal(0);
const height = signal(600);

const TONES: Readonly<Record<string, [tone: string, glyph: string]>> = {
  promoter: ["proved", "▲"],
  detractor: ["late", "▼"],
};

export function Stream(): VNode {
  const all = rows.value;
  const first = Math.max(0, Math.floor(scrolled.value / ROW) - BEYOND);
  const shown = all.slice(first, first + Math.ceil(height.value / ROW) + 2 * BEYOND);
  const chosen = all[indexOfChosen(all)]?.number;
  return html`
    <section class="stream panel" aria-label="Events">
      <div class="row">
        <h2>Events <span class="quiet" data-figure="events">${figure(all.length)}</span></h2>
        <${Filter} />
        ${news.value > 0 ? html`<button class="news" onClick=${live}>▲ ${figure(news.value)} new</button>` : null}
        <button aria-pressed=${isPaused.value} aria-keyshortcuts="Space" onClick=${() => (isPaused.value ? live() : pause())}
          >${isPaused.value ? "Paused" : "Live"}</button>
      </div>
      <div class="scroll" id="stream" tabindex="0" ref=${measure} onScroll=${onScroll}
        role=${all.length > 0 ? "listbox" : "region"} aria-label="Events, newest first"
        aria-activedescendant=${chosen === undefined ? undefined : `e-${chosen}`}>
        ${all.length === 0 ? html`<${Empty} />` : html`<div style=${{ height: `${first * ROW}px` }} role="presentation"></div>`}
        ${shown.map((row) => html`<${Row} key=${row.number} row=${row} isSelected=${row.number === chosen} />`)}
        ${all.length > 0 && html`<div style=${{ height: `${Math.max(0, all.length - first - shown.length) * ROW}px` }} role="presentation"></div>`}
      </div>
    </section>
  `;
}

/** Back to what comes now. */
export function live(): void {
  frozen.value = null;
  const list = document.getElementById("stream");
  if (list !== null) list.scrollTop = 0;
}

export function reveal(): void {
  const list = document.getElementById("stream");
  const at = indexOfChosen(rows.peek());
  if (list === null || at < 0) return;
  const top = at * ROW;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
}

const observer = new ResizeObserver(([entry]) => {
  if (entry !== undefined) height.value = entry.contentRect.height;
});
function measure(list: HTMLElement | null): void {
  observer.disconnect();
  if (list !== null) observer.observe(list);
}

function onScroll({ currentTarget }: { currentTarget: HTMLElement }): void {
  scrolled.value = currentTarget.scrollTop;
  if (currentTarget.scrollTop > 0) pause();
}

function Filter(): VNode {
  const { q } = place.value;
  const error = matching.value?.error ?? "";
  return html`
    <label class="filter row"><span class="hidden">Filter events by words, or by an EventBridge pattern</span>
      <input id="filter" type="search" value=${q} placeholder="Filter: words, or an EventBridge pattern  /"
        spellcheck="false" autocomplete="off" aria-invalid=${error !== ""}
        onInput=${(event: { currentTarget: HTMLInputElement }) => go({ q: event.currentTarget.value })} />
      ${error === "" ? null : html`<span class="late fixed" role="status">${error}</span>`}
    </label>
  `;
}

function Row({ row, isSelected }: { row: EventRow; isSelected: boolean }): VNode {
  const { number, at, survey, surveyId, responseId, nps, lag, origin, revision, missing, isRepeat, type } = row;
  const isContents = type === "response.completed";
  const [tone, glyph] = TONES[nps?.class ?? ""] ?? ["quiet", "–"];
  return html`
    <div class="event" role="option" id=${`e-${number}`} aria-selected=${isSelected} onClick=${() => choose(row, "event")}>
      <span class="mono quiet">${clock(at)}</span>
      <bdi class="cut">${surveyId === null ? "" : survey === null ? surveyName({ surveyId, name: null }) : nameShown(survey)}</bdi>
      <span class="mono id">${responseId ?? ""}</span>
      ${
        isContents || nps !== null
          ? html`<span class=${`chip fixed ${tone}`}>${glyph} ${nps === null ? "no NPS" : `${nps.score} ${nps.class}`}</span>`
          : html`<span class="quiet">${type.replace(/^response\./, "").replace(".", " ")}</span>`
      }
      <span class="lag">${lag === null || !isContents ? "" : span(lag)}</span>
      <span class="badges row fixed">
        ${origin !== null && isContents ? html`<span class=${origin === "head" ? "quiet" : "work"} title=${ORIGINS[origin] ?? ""}>${origin}</span>` : null}
        ${isContents || revision === null ? null : html`<span class="work">${type === "response.updated" ? "updated" : ""}</span>`}
        ${(revision ?? 1) > 1 ? html`<span class="work">rev ${revision}</span>` : null}
        ${missing.length > 0 ? html`<span class="late" title=${missing.join(", ")}>incomplete</span>` : null}
        ${isRepeat ? html`<span class="quiet" title="The bus has had this event id before">repeat</span>` : null}
      </span>
    </div>
  `;
}

function Empty(): VNode {
  if (events.value.length > 0) return html`<p class="empty">No event of the last 1,000 fits the filter.</p>`;
  const isHeard = snapshot.value?.elsewhere?.isHeard !== false;
  const who = isDemo.value
    ? "A made-up respondent completes every few seconds."
    : isHeard
      ? "The next completed response appears here."
      : "This page was asked not to listen (--no-events).";
  return html`<p class="empty">No event yet. ${who}</p>`;
}
