import { computed, signal } from "@preact/signals";
import { html } from "htm/preact";
import type { VNode } from "preact";
import type { Heard } from "../../cli/hearing/event.ts";
import { Choice, Copy, figure } from "./format.ts";
import { JsonView } from "./json-view.ts";
import { matchesOf } from "./matches.ts";
import { go } from "./place.ts";
import { begun, type Chosen, FORMS, type Form, keyOf, type Leaf, patternOf, toggled, writtenAs } from "./rule.ts";

const chosen = signal<Chosen>(new Map());
const form = signal<Form>("JSON");
const matching = matchesOf(computed(() => (chosen.value.size === 0 ? "" : JSON.stringify(patternOf(chosen.value)))));

function choose(envelope: Heard, path: readonly string[], value: Leaf): void {
  const before = chosen.peek();
  chosen.value = toggled(before.size === 0 ? begun(envelope) : before, path, value);
}

function clear(): void {
  chosen.value = new Map();
}

export function RuleTab({ envelope }: { envelope: Heard }): VNode {
  const pattern = patternOf(chosen.value);
  const { "detail-type": type, source, detail } = envelope;
  const text = writtenAs(form.value, pattern, type);
  return html`
    <div class="rule">
      <p class="quiet">${chosen.value.size === 0 ? "Press values of the event: they become a pattern." : html`<${Matches} />`}</p>
      ${
        chosen.value.size > 0 &&
        html`
          <pre class="mono code" tabindex="0" aria-label="Pattern">${text}</pre>
          <div class="row actions">
            <${Choice} label="Written as" names=${FORMS} chosen=${form} />
            <${Copy} text=${text} />
            <button onClick=${() => go({ q: JSON.stringify(pattern) })}>Filter the stream</button>
            <button onClick=${clear}>Clear</button>
          </div>
        `
      }
      <${JsonView} value=${{ source, "detail-type": type, detail }}
        onLeaf=${(path: readonly string[], value: Leaf) => choose(envelope, path, value)}
        isChosen=${(path: readonly string[], value: Leaf) => chosen.value.get(keyOf(path))?.includes(value) === true} />
    </div>
  `;
}

function Matches(): VNode {
  const found = matching.value;
  if (found === null) return html`<span>…</span>`;
  if (found.error !== "") return html`<span class="late">${found.error}</span>`;
  return html`<b class="ink" data-figure="matching">${figure(found.numbers.size)}</b> of your last ${figure(found.of)} match`;
}
