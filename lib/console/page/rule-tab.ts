import { computed, signal } from "@preact/signals";
import { html } from "htm/preact";
import type { VNode } from "preact";
import type { Heard } from "../../cli/hearing/event.ts";
import { Choice, Copy, figure } from "./format.ts";
import { JsonView } from "./json-view.ts";
import { matchesOf } from "./matches.ts";
import { go } from "./place.ts";
import { begun, chosenAt, FORMS, type Form, type Leaf, type Pattern, toggled, writtenAs } from "./rule.ts";

const pattern = signal<Pattern>({});
const isBegun = computed(() => Object.keys(pattern.value).length > 0);
const form = signal<Form>("JSON");
const matching = matchesOf(computed(() => (isBegun.value ? JSON.stringify(pattern.value) : "")));

export function RuleTab({ envelope }: { envelope: Heard }): VNode {
  const choose = (path: readonly string[], value: Leaf): void => {
    pattern.value = toggled(isBegun.peek() ? pattern.peek() : begun(envelope), path, value);
  };
  const clear = (): void => {
    pattern.value = {};
  };
  const { "detail-type": type, source, detail } = envelope;
  const text = writtenAs(form.value, pattern.value, type);
  return html`
    <div class="rule">
      <p class="quiet">${isBegun.value ? html`<${Matches} />` : "Press values of the event: they become a pattern."}</p>
      ${
        isBegun.value &&
        html`
          <pre class="mono code" tabindex="0" aria-label="Pattern">${text}</pre>
          <div class="row wrap actions">
            <${Choice} label="Written as" names=${FORMS} chosen=${form} />
            <${Copy} text=${text} />
            <button onClick=${() => go({ q: JSON.stringify(pattern.peek()) })}>Filter the stream</button>
            <button onClick=${clear}>Clear</button>
          </div>
        `
      }
      <${JsonView} value=${{ source, "detail-type": type, detail }}
        onLeaf=${choose}
        isChosen=${(path: readonly string[], value: Leaf) => chosenAt(pattern.value, path).includes(value)} />
    </div>
  `;
}

function Matches(): VNode {
  const found = matching.value;
  if (found === null) return html`<span>…</span>`;
  if (found.error !== "") return html`<span class="late">${found.error}</span>`;
  return html`<b data-figure="matching">${figure(found.numbers.size)}</b> of your last ${figure(found.of)} match`;
}
