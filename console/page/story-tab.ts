import { html } from "htm/preact";
import type { VNode } from "preact";
import type { Span } from "../story.ts";
import { copy, said } from "./copy.ts";
import { clock, span } from "./format.ts";
import { opened, story } from "./opened.ts";
import { snapshot } from "./state.ts";

/** The least width of a bar, in percent. */
const LEAST = 1.5;

export function StoryTab(): VNode {
  const told = story.value;
  if (told === null) return html`<p class="empty">The way of this event is being read from the ledger and the log.</p>`;
  if ("error" in told) return html`<p class="empty">${told.error}</p>`;
  const { sentence, at, spans, facts } = told;
  const known = spans.flatMap(({ from, to }) => (from === null || to === null ? [] : [from, to]));
  const from = Math.min(...known);
  const whole = Math.max(1, Math.max(...known) - from);
  return html`
    <p><b>${sentence}</b> <span class="quiet">as of ${clock(at)}</span></p>
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
    <${Command} />
  `;
}

/** How the same is asked on the command line. */
function Command(): VNode | null {
  const { responseId, surveyId } = opened.value?.envelope?.detail.data ?? {};
  if (responseId === undefined) return null;
  const command = `${snapshot.value?.command} explain ${responseId} --survey ${surveyId} ${snapshot.value?.flags ?? ""}`;
  return html`<p class="row"><code class="cut">${command}</code><button onClick=${() => copy("explain", command)}>${said("explain") ?? "Copy"}</button></p>`;
}

const LOOKS = { waiting: "waiting-step", pause: "late-step", work: "work-step", moment: "done-step" } as const;

function Bar({ one, from, whole }: { one: Span; from: number; whole: number }): VNode {
  const { name, said: words, kind } = one;
  const left = one.from === null ? 0 : (100 * (one.from - from)) / whole;
  const length = one.from === null || one.to === null ? 0 : one.to - one.from;
  const style = { left: `${Math.min(100 - LEAST, left)}%`, width: `${Math.max(LEAST, (100 * length) / whole)}%` };
  return html`
    <li>
      <b>${name}</b>
      ${one.from === null ? html`<span></span>` : html`<span class="track" title=${clock(one.from)}><i class=${`fill ${LOOKS[kind]}`} style=${style}></i></span>`}
      <span class="took">${length > 0 ? span(length) : ""}</span>
      ${words === "" ? null : html`<span class="quiet said">${words}</span>`}
    </li>
  `;
}
