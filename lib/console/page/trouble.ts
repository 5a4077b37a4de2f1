import { signal } from "@preact/signals";
import { html } from "htm/preact";
import type { VNode } from "preact";
import type { Incident } from "../changes.ts";
import { clock, span } from "./format.ts";
import { script } from "./place.ts";
import { ask, isRefused, now, snapshot } from "./server.ts";

const refused = signal("");

const SCRIPT_PAUSE = 4_000;

export async function pull(kind: string): Promise<void> {
  const answer = await ask<{ pulled: true }>(`/trouble/${kind}`, {});
  refused.value = isRefused(answer) ? answer.error : "";
}

/** Plays the troubles that the address asks for, once the first books of all surveys are closed. */
export async function playScript(): Promise<void> {
  if (script.length === 0) return;
  const isClosed = () => snapshot.peek()?.status?.surveys.every(({ books }) => books !== null);
  while (isClosed() !== true || snapshot.peek()?.status?.surveys.length === 0)
    await new Promise((resolve) => setTimeout(resolve, 500));
  for (const kind of script) {
    await pull(kind);
    await new Promise((resolve) => setTimeout(resolve, SCRIPT_PAUSE));
  }
}

export function Trouble(): VNode {
  const list = snapshot.value?.troubles ?? [];
  const cards = [...(snapshot.value?.incidents ?? [])].reverse();
  return html`
    <section class="trouble panel" aria-label="Trouble" id="trouble">
      <div class="row between under"><h2>Make trouble</h2><span class="quiet">keys 1 to 0</span></div>
      <div class="knobs grid pad under">
        ${list.map(
          ({ kind, title, key }) => html`
            <button data-knob=${kind} class="knob cut"
              onClick=${() => void pull(kind)}><kbd class="quiet">${key}</kbd> ${title}</button>`,
        )}
      </div>
      ${refused.value === "" ? null : html`<p class="late" role="status">${refused.value}</p>`}
      <div class="scroll cards" tabindex="0" role="region" aria-label="What became of it" aria-live="polite">
        ${cards.length === 0 ? html`<p class="empty">Pull one. A card tells what happened, and closes itself with what became of it.</p>` : null}
        ${cards.map((card) => html`<${Card} key=${card.id} card=${card} />`)}
      </div>
    </section>
  `;
}

function Card({ card }: { card: Incident }): VNode {
  const { kind, title, openedAt, what, closed, left } = card;
  const waits =
    left > 0 ? `waiting for ${left} ${left === 1 ? "event" : "events"}` : "all found; waiting for it to be over";
  return html`
    <article class=${`card pad under ${closed === undefined ? "open" : "closed"}`} data-kind=${kind}>
      <h3 class="row between"><span><span class=${closed === undefined ? "work" : "proved"} aria-hidden="true"
        >${closed === undefined ? "◐" : "●"}</span> ${title}</span> <span class="mono quiet">${clock(openedAt)}</span></h3>
      <p class="quiet">${what}</p>
      ${
        closed === undefined
          ? html`<p class="work">${waits} · ${span(Math.max(0, now.value - openedAt))}</p>`
          : html`<p><span class="mono">${clock(closed.foundAt)}</span> ${closed.sentence}</p>`
      }
    </article>
  `;
}
