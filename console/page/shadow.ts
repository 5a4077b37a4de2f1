import { html } from "htm/preact";
import type { VNode } from "preact";
import type { ShadowView } from "../changes.ts";
import { clock, figure } from "./format.ts";
import { go, place } from "./place.ts";
import { snapshot } from "./state.ts";

const WHY = {
  late: "late: below the page where it stops",
  tie: "tie: in the very second of its cursor",
  moved: "moved: slipped to a page already read",
} as const;

function nameOf(surveyId: number): string {
  const survey = snapshot.value?.status?.surveys.find((one) => one.surveyId === surveyId);
  return survey?.name ?? `survey ${surveyId}`;
}

/** A poller with a cursor, beside this one. */
export function Shadow(): VNode | null {
  const shadow = snapshot.value?.shadow ?? null;
  if (snapshot.value === null || snapshot.value.troubles.length === 0) return null;
  const isOpen = place.value.shadow === "open";
  const unaccounted = snapshot.value.status?.surveys.reduce((sum, one) => sum + one.unaccounted, 0) ?? 0;
  return html`
    <section class="shadow" aria-label="Beside a poller with a cursor">
      <table>
        <thead><tr><th scope="col">completed since the start</th>
          <th scope="col">found</th><th scope="col" title="Completed a moment ago, or while the service refuses">on the way</th>
          <th scope="col">missed</th><th scope="col">twice</th></tr></thead>
        <tbody>
          <tr><th scope="row">A cursor poller</th>
            <td data-figure="cursor-found">${figure(shadow?.found ?? 0)}</td>
            <td>${figure(shadow === null ? 0 : shadow.completed - shadow.found - shadow.missed)}</td>
            <td class=${shadow?.missed ? "late strong" : ""}>${
              shadow?.missed
                ? html`<button class="link" aria-expanded=${isOpen} title="Which, and why"
                    onClick=${() => go({ shadow: isOpen ? "" : "open" })}
                    ><b data-figure="cursor-missed">${figure(shadow.missed)}</b></button>`
                : html`<b data-figure="cursor-missed">0</b>`
            }</td>
            <td>${figure(shadow?.twice ?? 0)}</td></tr>
          <tr><th scope="row">This poller</th>
            <td data-figure="ours-found">${figure(shadow?.ours.found ?? 0)}</td>
            <td>${figure(shadow?.ours.onTheirWay ?? 0)}</td>
            <td class=${unaccounted === 0 ? "proved strong" : "you strong"}><b>${figure(unaccounted)}</b></td>
            <td>${figure(shadow?.ours.repeated ?? 0)}</td></tr>
        </tbody>
      </table>
      ${isOpen && shadow !== null ? html`<${Misses} shadow=${shadow} />` : null}
    </section>
  `;
}

function Misses({ shadow }: { shadow: ShadowView }): VNode {
  return html`
    <div class="misses" role="dialog" aria-label="What the cursor poller missed">
      <div class="row"><h2>What the cursor poller missed</h2>
        <button onClick=${() => go({ shadow: "" })}>Close</button></div>
      <p class="quiet">It reads the same list at the same moments. It is never refused and never slow.</p>
      <ul>
        ${shadow.misses.map(
          ({ surveyId, responseId, completedAt, why }) => html`
            <li><span class="mono quiet">${clock(completedAt)}</span><span class="cut">${nameOf(surveyId)}</span>
              <span class="mono">${responseId}</span><span>${WHY[why]}</span></li>`,
        )}
      </ul>
    </div>
  `;
}
