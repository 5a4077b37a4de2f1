import { html } from "htm/preact";
import type { VNode } from "preact";
import type { SurveyStatus } from "../../cli/verbs/status/answer.ts";
import { ago, figure } from "./format.ts";
import { go, place } from "./place.ts";
import { now, snapshot } from "./state.ts";

type Part = "emitted" | "beforeFloor" | "open" | "waiting" | "held" | "quarantined" | "refused";

const PARTS: readonly [part: Part, name: string][] = [
  ["emitted", "emitted"],
  ["beforeFloor", "before floor"],
  ["open", "open"],
  ["waiting", "waiting"],
  ["held", "held"],
  ["quarantined", "quarantined"],
  ["refused", "refused"],
];

/** Milliseconds in which the colour of a proof has faded to half. */
const FADES = 60_000;

/** How many of a survey stand in a state, as its closed books say. */
export function inState({ books }: SurveyStatus, part: string): number {
  return books === null ? 0 : (books[part as Part] ?? 0);
}

export function Books(): VNode {
  const status = snapshot.value?.status ?? null;
  const surveys = status?.surveys ?? [];
  const sums = PARTS.map(([part, name]) => ({
    part,
    name,
    count: surveys.reduce((sum, survey) => sum + inState(survey, part), 0),
  }));
  const listed = status?.listed ?? 0;
  const unaccounted = surveys.reduce((sum, survey) => sum + survey.unaccounted, 0);
  const age = status?.provedAt ? Math.max(0, now.value - status.provedAt) : 0;
  const freshness = 0.45 + 0.55 * 0.5 ** (age / FADES);
  return html`
    <section class="books" aria-label="Books">
      <p class="row"><span class="total"><b data-figure="listed">${figure(listed)}</b> listed</span><span class="quiet">${
        status === null || status.provedAt === null
          ? "no books are closed yet: a pass over all pages closes them"
          : `by what became of each, as last proved ${ago(status.provedAt, now.value)}`
      }</span></p>
      <div class="bar" style=${{ opacity: freshness }} aria-hidden="true">
        ${
          listed === 0
            ? html`<span class="nothing" style=${{ flexGrow: 1 }}></span>`
            : sums.map(({ part, count }) => html`<span class=${`fill ${part}`} style=${{ flexGrow: count }}></span>`)
        }
        <span class="fill unaccounted" style=${{ flexGrow: unaccounted }}></span>
      </div>
      <p class="sum">
        ${sums
          .filter(({ part, count }) => part !== "refused" || count > 0)
          .map(({ part, name, count }) => html`<${Count} part=${part} name=${name} count=${count} />`)}
        <${Count} part="unaccounted" name="unaccounted" count=${unaccounted} />
      </p>
    </section>
  `;
}

function Count({ part, name, count }: { part: string; name: string; count: number }): VNode {
  const isChosen = place.value.state === part;
  return html`
    <button class=${`count ${count === 0 ? "none" : ""}`} aria-pressed=${isChosen}
      title=${`Only surveys with ${name} responses`} onClick=${() => go({ state: isChosen ? "" : part })}>
      <i class=${`fill ${part}`} aria-hidden="true"></i><b data-figure=${part}>${figure(count)}</b> ${name}
    </button>
  `;
}
