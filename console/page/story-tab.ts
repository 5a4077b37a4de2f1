import { html } from "htm/preact";
import type { VNode } from "preact";
import { clock, span } from "./format.ts";
import { type Step, story } from "./opened.ts";

/** The least width of a bar that has any length, in percent. */
const LEAST = 1.5;

export function StoryTab(): VNode {
  const told = story.value;
  if (told === null) return html`<p class="empty">What is known of the way of this event is shown here.</p>`;
  const { steps, facts } = told;
  const from = Math.min(...steps.map((step) => step.from));
  const to = Math.max(...steps.map((step) => step.to));
  return html`
    <ol class="story">
      ${steps.map((step) => html`<${Bar} step=${step} from=${from} whole=${Math.max(1, to - from)} />`)}
    </ol>
    <p class="legend"><i class="fill waiting-step"></i>waiting <i class="fill work-step"></i>at work
      <span class="quiet">${span(to - from)} from completion to the bus; the service tells completion to the second</span></p>
    <dl class="facts">
      ${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
    </dl>
  `;
}

function Bar({ step, from, whole }: { step: Step; from: number; whole: number }): VNode {
  const { name, said, kind } = step;
  const left = (100 * (step.from - from)) / whole;
  const width = Math.max(LEAST, (100 * (step.to - step.from)) / whole);
  return html`
    <li>
      <span class="step"><b>${name}</b> <span class="mono quiet">${clock(step.from)}</span></span>
      <span class="track"><i class=${`fill ${kind}-step`} style=${{ left: `${Math.min(100 - LEAST, left)}%`, width: `${width}%` }}></i></span>
      <span class="took">${step.to > step.from ? span(step.to - step.from) : ""}</span>
      <span class="quiet said">${said}</span>
    </li>
  `;
}
