import { html } from "htm/preact";
import type { VNode } from "preact";
import { emittedText, type StatusAnswer, type SurveyStatus } from "../../cli/verbs/status/answer.ts";
import { figuresOf, PARTS, type Part } from "../changes.ts";
import { ago, clock, figure, HELP, Help } from "./format.ts";
import { go, place } from "./place.ts";
import { now, snapshot } from "./server.ts";

/** Milliseconds in which the colour of a proof has faded to half. */
const FADES = 60_000;

const FILLS: Readonly<Record<Part, string>> = {
  emitted: "proved",
  beforeStart: "start",
  open: "work striped",
  waiting: "work",
  held: "late",
  quarantined: "late falling",
  refused: "late striped",
  unaccounted: "you rising",
};

/** How many of a survey stand in a state now; what is settled, as its closed books say. */
export function inState(survey: SurveyStatus, part: string): number {
  return figuresOf({ surveys: [survey] }, {})[part as Part] ?? 0;
}

export function Books(): VNode {
  const status = snapshot.value?.status ?? null;
  const figures = figuresOf(status, snapshot.value?.emittedSince ?? {});
  const total = PARTS.reduce((sum, part) => sum + figures[part], 0);
  const shown = PARTS.filter((part) => part !== "refused" || figures.refused > 0);
  return html`
    <section class="books panel grid pad" aria-label="Books">
      <p class="row"><span><b class="large" data-figure="responses">${figure(total)}</b> <${Help} word="responses">responses</${Help}></span>
        <span class="quiet" data-figure="first-read">${status === null ? "" : firstRead(status)}</span></p>
      <div class="barred">
        <div class="bar" aria-hidden="true">
          ${total === 0 ? html`<span class="nothing" style=${{ flexGrow: 1 }}></span>` : null}
          ${PARTS.map((part) => html`<span class=${`fill ${FILLS[part]}`} style=${{ flexGrow: figures[part] }}></span>`)}
        </div>
        <${Proof} total=${total} />
      </div>
      <p class="row wrap">${shown.map((part) => html`<${Count} part=${part} count=${figures[part]} />`)}</p>
    </section>
  `;
}

/** "532 of about 20,000 emitted, done about 18:20", while something is read for the first time. */
function firstRead({ surveys, verdict }: StatusAnswer): string {
  // Nobody knows when a late one will be done.
  const known = verdict === "working" ? {} : { left: null };
  const walks = surveys.flatMap(({ backlog }) => (backlog?.emitted == null ? [] : [{ ...backlog, ...known }]));
  if (walks.length === 0) return "";
  return `First read: ${emittedText(walks, (left) => `about ${clock(now.value + left).slice(0, 5)}`)}`;
}

/** How far the books were proved, and how long ago: a mark on the bar, which fades. */
function Proof({ total }: { total: number }): VNode {
  const status = snapshot.value?.status ?? null;
  if (status === null) return html`<p class="proof quiet">Nothing is known yet.</p>`;
  if (status.provedAt === null) {
    return html`<p class="proof quiet">No books are closed yet: a pass over all pages closes them.</p>`;
  }
  const age = Math.max(0, now.value - status.provedAt);
  const freshness = 0.6 + 0.4 * 0.5 ** (age / FADES);
  const part = total === 0 ? 1 : Math.min(1, status.listed / total);
  return html`
    <div class="mark" style=${{ left: `${part * 100}%` }} aria-hidden="true"></div>
    <p class="proof quiet" style=${{ opacity: freshness }}>▲ proved ${ago(status.provedAt, now.value)}:${" "}
      <span data-figure="accounted">${figure(status.accounted)}</span> of <span data-figure="proved">${figure(status.listed)}</span> accounted for</p>
  `;
}

function Count({ part, count }: { part: Part; count: number }): VNode {
  const isChosen = place.value.state === part;
  return html`
    <button class=${`count row ${count === 0 ? "bare quiet" : ""}`} aria-pressed=${isChosen} title=${HELP[part]}
      onClick=${() => go({ state: isChosen ? "" : part })}>
      <i class=${`fill dot ${FILLS[part]}`} aria-hidden="true"></i><b data-figure=${part}>${figure(count)}</b> ${part === "beforeStart" ? "before start" : part}
    </button>
  `;
}
