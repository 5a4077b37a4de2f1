import { signal } from "@preact/signals";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { handlerFor, LANGUAGES, type Language } from "./code.ts";
import { copy, said } from "./copy.ts";
import type { Envelope } from "./envelope.ts";

const language = signal<Language>("TypeScript");

function choose(name: Language): void {
  language.value = name;
}

export function CodeTab({ envelope }: { envelope: Envelope }): VNode {
  const text = handlerFor(language.value, envelope);
  return html`
    <div class="row actions">
      <div class="choice" role="group" aria-label="Language">
        ${LANGUAGES.map((name) => html`<button aria-pressed=${language.value === name} onClick=${() => choose(name)}>${name}</button>`)}
      </div>
      <button onClick=${() => copy("code", text)}>${said("code") ?? "Copy"}</button>
    </div>
    <pre class="mono code" tabindex="0" aria-label="Handler">${text}</pre>
    <p class="quiet">Types of the contract for other languages lie in <code>contract/</code> of the package.</p>
  `;
}
