import { effect, signal } from "@preact/signals";
import { html } from "htm/preact";
import type { VNode } from "preact";
import type { Heard } from "../../cli/hearing/event.ts";
import { Choice, Copy, figure } from "./format.ts";
import { JsonView } from "./json-view.ts";
import { go } from "./place.ts";
import { begun, type Chosen, FORMS, type Form, keyOf, type Leaf, patternOf, toggled, writtenAs } from "./rule.ts";
import { act, isRefused } from "./server.ts";
import { events, now } from "./state.ts";

const chosen = signal<Chosen>(new Map());
const form = signal<Form>("JSON");
const count = signal<{ matching: number; of: number } | string | null>(null);

let counted = "";
effect(() => {
  const pattern = JSON.stringify(patternOf(chosen.value));
  // Counted again while events come, at the beat of the page's clock.
  void now.value;
  const last = events.peek().at(-1)?.number ?? 0;
  if (chosen.value.size === 0 || last === 0) count.value = null;
  else if (counted !== `${last} ${pattern}`) void recount(pattern);
  counted = `${last} ${pattern}`;
});

async function recount(pattern: string): Promise<void> {
  const found = await act<{ numbers: number[]; of: number }>("/match", JSON.parse(pattern));
  if (JSON.stringify(patternOf(chosen.peek())) !== pattern) return;
  count.value = isRefused(found) ? found.error : { matching: found.numbers.length, of: found.of };
}

function choose(envelope: Heard, path: readonly string[], value: Leaf): void {
  const before = chosen.peek();
  chosen.value = toggled(before.size === 0 ? begun(envelope) : before, path, value);
}

function clear(): void {
  chosen.value = new Map();
}

function write(as: Form): void {
  form.value = as;
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
            <${Choice} label="Written as" names=${FORMS} chosen=${form.value} choose=${write} />
            <${Copy} what="rule" text=${text} />
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
  const found = count.value;
  if (found === null) return html`<span>…</span>`;
  if (typeof found === "string") return html`<span class="late">${found}</span>`;
  return html`<b class="ink" data-figure="matching">${figure(found.matching)}</b> of your last ${figure(found.of)} match`;
}
