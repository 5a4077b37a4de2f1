import { html } from "htm/preact";
import type { VNode } from "preact";
import type { Span } from "../story.ts";
import { clock, span } from "./format.ts";
import { story } from "./opened.ts";

/** The least width of a bar, in percent. */
const LEAST = 1.5;

export function StoryTab(): VNode {
  const told = story.value;
  if (told === null) return html`<p class="empty">The way of this event is being read from the ledger and the log.</p>`;
  if ("error" in told) return html`<p class="empty">${told.error}</p>`;
  const { sentence, spans, facts } = told;
  const known = spans.flatMap(({ from, to }) => (from === null || to === null ? [] : [from, to]));
  const from = Math.min(...known);
  const whole = Math.max(1, Math.max(...known) - from);
  return html`
    <p><b>${sentence}</b></p>
    <ol class="story">
      ${spans.map((one) => html`<${Bar} one=${one} from=${from} whole=${whole} />`)}
    </ol>
    ${
      spans.length === 0
        ? null
        : html`<p class="legend"><i class="fill waiting-step"></i>waiting <i class="fill late-step"></i>left alone <i class="fill work-step"></i>at work
      <span class="quiet">${span(whole)} in all; the service tells completion to the second</span></p>`
    }
    <dl class="facts">
      ${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
    </dl>
  `;
}

const LOOKS = { waiting: "waiting-step", pause: "late-step", work: "work-step", moment: "done-step" } as const;

function Bar({ one, from, whole }: { one: Span; from: number; whole: number }): VNode {
  const { name, said, kind } = one;
  const left = one.from === null ? 0 : (100 * (one.from - from)) / whole;
  const length = one.from === null || one.to === null ? 0 : one.to - one.from;
  const style = { left: `${Math.min(100 - LEAST, left)}%`, width: `${Math.max(LEAST, (100 * length) / whole)}%` };
  return html`
    <li>
      <span class="step"><b>${name}</b> <span class="mono quiet">${one.from === null ? "" : clock(one.from)}</span></span>
      <span class="track">${one.from === null ? null : html`<i class=${`fill ${LOOKS[kind]}`} style=${style}></i>`}</span>
      <span class="took">${length > 0 ? span(length) : ""}</span>
      <span class="quiet said">${said}</span>
    </li>
  `;
}
