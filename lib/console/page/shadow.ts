import { html } from "htm/preact";
import type { VNode } from "preact";
import { nameShown } from "../../cli/words.ts";
import type { Fates, ShadowView } from "../../local/simulator/shadow.ts";
import { clock, figure, Help } from "./format.ts";
import { go, place } from "./place.ts";
import { snapshot } from "./server.ts";

const WHY = {
  late: "late: below the page where it stops",
  tie: "tie: in the very second of its cursor",
  moved: "moved: slipped to a page already read",
} as const;

const NOTHING = { found: 0, missed: 0, onTheWay: 0, deleted: 0, twice: 0 };

function nameOf(surveyId: number): string {
  return nameShown(snapshot.value?.status?.surveys.find((one) => one.surveyId === surveyId)?.name ?? null);
}

export function Shadow(): VNode | null {
  const shadow = snapshot.value?.shadow ?? null;
  if (snapshot.value === null || snapshot.value.troubles.length === 0) return null;
  const isOpen = place.value.shadow === "open";
  const unaccounted = snapshot.value.status?.surveys.reduce((sum, one) => sum + one.unaccounted, 0) ?? 0;
  const { cursor, ours } = shadow ?? { cursor: NOTHING, ours: NOTHING };
  // What a full read cannot account for is on its way no more.
  const missed = Math.min(unaccounted, ours.onTheWay);
  return html`
    <section class="shadow panel" aria-label="Beside a poller with a cursor">
      <div class="row wrap between fixed">
        <p><button class="link big" aria-expanded=${isOpen} disabled=${cursor.missed === 0} title="Which, and why"
            onClick=${() => go({ shadow: isOpen ? "" : "open" })}
            ><b class="late" data-figure="cursor-missed">${figure(cursor.missed)}</b></button> missed by a poller with a cursor</p>
        <p><b class=${`big ${unaccounted === 0 ? "proved" : "you"}`} data-figure="ours-missed">${figure(unaccounted)}</b> missed by this one</p>
      </div>
      <table>
        <thead class="quiet"><tr><th scope="col">of <b data-figure="completed">${figure(shadow?.completed ?? 0)}</b> completed</th>
          <th scope="col">found</th><th scope="col"><${Help} word="on the way">on the way</${Help}></th>
          <th scope="col"><${Help} word="missed">missed</${Help}></th>
          <th scope="col"><${Help} word="wrongly sent">wrongly sent</${Help}></th>
          <th scope="col"><${Help} word="twice">twice</${Help}></th></tr></thead>
        <tbody>
          <${Row} who="cursor" name="A cursor poller" of=${cursor} />
          <${Row} who="ours" name="This poller" of=${{ ...ours, missed, onTheWay: ours.onTheWay - missed }} />
        </tbody>
      </table>
      ${isOpen && shadow !== null ? html`<${Misses} shadow=${shadow} />` : null}
    </section>
  `;
}

function Row({ who, name, of }: { who: string; name: string; of: Fates }): VNode {
  return html`
    <tr data-row=${who}><th scope="row">${name}</th><td data-figure=${`${who}-found`}>${figure(of.found)}</td>
      <td>${figure(of.onTheWay)}</td><td>${figure(of.missed)}</td>
      <td>${figure(of.deleted)}</td><td>${figure(of.twice)}</td></tr>
  `;
}

function Misses({ shadow }: { shadow: ShadowView }): VNode {
  return html`
    <div class="misses panel pad" role="dialog" aria-label="What the cursor poller missed">
      <div class="row between"><h2>What the cursor poller missed</h2>
        <button onClick=${() => go({ shadow: "" })}>Close</button></div>
      <p class="quiet">It reads the same list at the same moments. It is never refused and never slow.</p>
      <ul>
        ${shadow.misses.map(
          ({ surveyId, responseId, completedAt, why }) => html`
            <li class="grid"><span class="mono quiet">${clock(completedAt)}</span><bdi class="cut">${nameOf(surveyId)}</bdi>
              <span class="mono">${responseId}</span><span>${WHY[why]}</span></li>`,
        )}
      </ul>
    </div>
  `;
}
