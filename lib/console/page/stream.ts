import { computed, effect, signal } from "@preact/signals";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { ORIGINS } from "../../cli/verbs/status/answer.ts";
import { nameShown, surveyName } from "../../cli/words.ts";
import { type EventRow, surveyKey } from "../changes.ts";
import { clock, figure, span } from "./format.ts";
import { go, place } from "./place.ts";
import { events, isDemo, matchesOf, snapshot } from "./server.ts";

const pattern = computed(() => (place.value.q.trim().startsWith("{") ? place.value.q.trim() : ""));

/** The events that the pattern in the filter matches; null while none is in it, or it has not been matched yet. */
const matching = matchesOf(pattern);

/** Events that the filter and the chosen survey let through, newest first. */
const filtered = computed(() => {
  const { q, survey } = place.value;
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const numbers = matching.value?.numbers;
  const isMeant = (row: EventRow): boolean => {
    if (survey !== "" && surveyKey(row.source, row.surveyId) !== survey) return false;
    return pattern.value === "" ? hasWords(row, words) : numbers?.has(row.number) !== false;
  };
  return events.value.filter(isMeant).reverse();
});

function hasWords(row: EventRow, words: readonly string[]): boolean {
  const { type, survey, surveyId, responseId, nps, origin, eventId, missing } = row;
  const text = [type, survey, surveyId, responseId, nps?.class, nps?.score, origin, eventId, ...missing];
  const searched = text.join(" ").toLowerCase();
  return words.every((word) => searched.includes(word));
}

/** The rows that are shown during a pause; null while it is live. */
const frozen = signal<{ rows: EventRow[]; last: number } | null>(null);

export const isPaused = computed(() => frozen.value !== null);
export const rows = computed(() => frozen.value?.rows ?? filtered.value);
/** Events that have come since it was paused. */
const news = computed(() => {
  const since = frozen.value?.last ?? Number.POSITIVE_INFINITY;
  return filtered.value.filter(({ number }) => number > since).length;
});

// Another filter, or another run: what was frozen says nothing any more.
const shows = computed(() => JSON.stringify([place.value.q, place.value.survey, snapshot.value?.run]));
effect(() => {
  void shows.value;
  frozen.value = null;
});

export function pause(): void {
  frozen.value ??= { rows: filtered.peek(), last: events.peek().at(-1)?.number ?? 0 };
}

/** Pixels: a row has one height. */
const ROW = 28;
/** Rows that are drawn: more of them as one comes near the last. */
const SOME = 100;
const drawn = signal(SOME);

function drawTo(index: number): void {
  if (index > drawn.peek() - SOME / 2) drawn.value = index + SOME;
}

/** Back to what comes now. */
export function live(): void {
  frozen.value = null;
  drawn.value = SOME;
  const list = document.getElementById("stream");
  if (list !== null) list.scrollTop = 0;
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

/** Goes so many rows further from the one that is chosen. */
export function move(by: number): void {
  pause();
  const all = rows.peek();
  const at = indexOfChosen(all);
  const to = at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by));
  const next = all[to];
  if (next === undefined) return;
  drawTo(to);
  choose(next);
  document.getElementById(`e-${next.number}`)?.scrollIntoView({ block: "nearest" });
}

const TONES: Readonly<Record<string, [tone: string, glyph: string]>> = {
  promoter: ["proved", "▲"],
  detractor: ["late", "▼"],
};

export function Stream(): VNode {
  const all = rows.value;
  const chosen = all[indexOfChosen(all)]?.number;
  return html`
    <section class="stream panel" aria-label="Events">
      <div class="row under">
        <h2>Events <span class="quiet" data-figure="events">${figure(all.length)}</span></h2>
        <${Filter} />
        ${news.value > 0 ? html`<button class="news work" onClick=${live}>▲ ${figure(news.value)} new</button>` : null}
        <button aria-pressed=${isPaused.value} aria-keyshortcuts="Space" onClick=${() => (isPaused.value ? live() : pause())}
          >${isPaused.value ? "Paused" : "Live"}</button>
      </div>
      <div class="scroll" id="stream" tabindex="0" onScroll=${onScroll}
        role=${all.length > 0 ? "listbox" : "region"} aria-label="Events, newest first"
        aria-activedescendant=${chosen === undefined ? undefined : `e-${chosen}`}>
        ${all.length === 0 ? html`<${Empty} />` : null}
        ${all.slice(0, drawn.value).map((row) => html`<${Row} key=${row.number} row=${row} isSelected=${row.number === chosen} />`)}
      </div>
    </section>
  `;
}

function onScroll({ currentTarget }: { currentTarget: HTMLElement }): void {
  if (currentTarget.scrollTop > 0) pause();
  drawTo(Math.ceil((currentTarget.scrollTop + currentTarget.clientHeight) / ROW));
}
function Filter(): VNode {
  const { q } = place.value;
  const error = matching.value?.error ?? "";
  return html`
    <div class="filter row">
      <input id="filter" type="search" value=${q} placeholder="Filter: words, or an EventBridge pattern  /"
        aria-label="Filter events by words, or by an EventBridge pattern" spellcheck="false" autocomplete="off" aria-invalid=${error !== ""}
        onInput=${(event: { currentTarget: HTMLInputElement }) => go({ q: event.currentTarget.value })} />
      ${error === "" ? null : html`<span class="late fixed" role="status">${error}</span>`}
    </div>
  `;
}

function Row({ row, isSelected }: { row: EventRow; isSelected: boolean }): VNode {
  const { number, at, survey, surveyId, responseId, nps, lag, origin, revision, missing, isRepeat, type } = row;
  const isContents = type === "response.completed";
  const [tone, glyph] = TONES[nps?.class ?? ""] ?? ["quiet", "–"];
  return html`
    <div class="event grid" role="option" id=${`e-${number}`} aria-selected=${isSelected} onClick=${() => choose(row, "event")}>
      <span class="mono quiet">${clock(at)}</span>
      <bdi class="cut">${surveyId === null ? "" : survey === null ? surveyName({ surveyId, name: null }) : nameShown(survey)}</bdi>
      <span class="mono end">${responseId ?? ""}</span>
      ${
        isContents || nps !== null
          ? html`<span class=${`chip fixed ${tone}`}>${glyph} ${nps === null ? "no NPS" : `${nps.score} ${nps.class}`}</span>`
          : html`<span class="quiet">${type.replace(/^response\./, "").replace(".", " ")}</span>`
      }
      <span class="end">${lag === null || !isContents ? "" : span(lag)}</span>
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
