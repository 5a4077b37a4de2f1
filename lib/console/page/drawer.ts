import { computed, signal } from "@preact/signals";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Heard } from "../../cli/hearing/event.ts";
import type { Span, Story } from "../story.ts";
import { handlerFor, LANGUAGES, type Language } from "./code.ts";
import { Choice, Copy, clock, figure, span } from "./format.ts";
import { JsonView, type NoteOf } from "./json-view.ts";
import { go, place, TABS, type Tab } from "./place.ts";
import { begun, chosenAt, FORMS, type Form, type Leaf, type Pattern, toggled, writtenAs } from "./rule.ts";
import { ask, isRefused, matchesOf, snapshot, useAnswer } from "./server.ts";

const tabs = Object.keys(TABS) as Tab[];

export function Drawer(): VNode {
  const { tab, event } = place.value;
  return html`
    <section class="drawer panel" aria-label="Event" id="drawer">
      <div class="row under">
        <div class="row scroll" role="tablist" aria-label="What of the event">
          ${tabs.map(
            (name) => html`
              <button class="bare" role="tab" id=${`tab-${name}`} aria-selected=${name === tab} aria-controls="tab-body"
                tabindex=${name === tab ? 0 : -1} onKeyDown=${turn} onClick=${() => go({ tab: name })}>${TABS[name]}</button>`,
          )}
        </div>
        <button class="bare" aria-label="Close the event" aria-keyshortcuts="Escape" onClick=${() => go({ event: "", panel: "stream" })}>✕</button>
      </div>
      <div class="scroll pad" id="tab-body" role="tabpanel" aria-labelledby=${`tab-${tab}`} tabindex="0">
        ${
          event === ""
            ? html`<p class="empty">Open an event of the stream: what it holds, how it came about, a rule that matches it, and code that handles it.</p>`
            : html`<${OpenEvent} key=${event} id=${event} tab=${tab} />`
        }
      </div>
    </section>
  `;
}

function turn(event: KeyboardEvent): void {
  const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (by === 0) return;
  const next = tabs[(tabs.indexOf(place.peek().tab) + by + tabs.length) % tabs.length] ?? "event";
  go({ tab: next });
  requestAnimationFrame(() => document.getElementById(`tab-${next}`)?.focus());
}

/** The event of this id, as the server has it: what is personal in it is masked until it is asked for. */
function OpenEvent({ id, tab }: { id: string; tab: Tab }): VNode {
  const [isRevealed, reveal] = useState(false);
  const path = encodeURIComponent(id);
  const found = useAnswer(`${isRevealed}`, () =>
    isRevealed ? ask<Heard>(`/reveal/${path}`, {}) : ask<Heard>(`/events/${path}`),
  );
  if (found === null) return html`<p class="empty"></p>`;
  if (isRefused(found)) return html`<p class="empty">${found.error}</p>`;
  if (tab === "story") return html`<${StoryTab} id=${id} envelope=${found} />`;
  if (tab === "rule") return html`<${RuleTab} envelope=${found} />`;
  if (tab === "code") return html`<${CodeTab} envelope=${found} />`;
  return html`
    <div class="row wrap actions">
      <${Copy} label="Copy JSON" text=${JSON.stringify(found, null, 2)} />
      <${Copy} label="Copy event id" text=${found.detail.meta.eventId ?? ""} />
      <button aria-pressed=${isRevealed} onClick=${() => reveal(!isRevealed)}>${isRevealed ? "Mask again" : "Reveal personal fields"}</button>
    </div>
    <${JsonView} value=${found} noteOf=${notesOf(found)} />
  `;
}

/** Words beside ids, from what the event itself knows. */
function notesOf({ detail }: Heard): NoteOf {
  return (path, value, parent) => {
    const name = path.at(-1);
    const { question, labels, metricName } = (parent ?? {}) as {
      question?: { text?: string } | null;
      labels?: (string | null)[] | string | null;
      metricName?: string;
    };
    if (name === "surveyId") return detail.data.survey?.name ?? undefined;
    if (name === "questionId") return question?.text;
    if (name === "answer" && Array.isArray(labels)) return labels.map((label) => label ?? "?").join(", ");
    if (name === "metricId" && value !== null) return metricName;
    return name === "eventId" ? "the same for every delivery" : undefined;
  };
}

/** Milliseconds after which a story is asked for again whose log is not written yet: that may come a moment later than the event. */
const AGAIN = 1_000;

/** The least width of a bar, in percent. */
const LEAST = 1.5;

function StoryTab({ id, envelope }: { id: string; envelope: Heard }): VNode {
  const told = useAnswer(
    id,
    () => ask<Story>(`/stories/${encodeURIComponent(id)}`),
    (answer) => (isRefused(answer) || answer.isWhole ? undefined : AGAIN),
  );
  if (told === null) return html`<p class="empty">The way of this event is being read from the ledger and the log.</p>`;
  if (isRefused(told)) return html`<p class="empty">${told.error}</p>`;
  const { sentence, at, spans, facts } = told;
  const known = spans.flatMap(({ from, to }) => (from === null || to === null ? [] : [from, to]));
  const from = Math.min(...known);
  const whole = Math.max(1, Math.max(...known) - from);
  return html`
    <p><b>${sentence}</b> <span class="quiet">as of ${clock(at)}</span></p>
    <ol class="story grid">
      ${spans.map((one) => html`<${Bar} one=${one} from=${from} whole=${whole} />`)}
    </ol>
    ${
      spans.length === 0
        ? null
        : html`<p class="legend quiet"><i class="fill dot start"></i>waiting <i class="fill dot late"></i>left alone <i class="fill dot work"></i>at work
      <br />${span(whole)} in all; the service tells completion to the second</p>`
    }
    <dl class="facts">
      ${facts.map(([name, value]) => html`<div class="grid"><dt class="quiet">${name}</dt><dd>${value}</dd></div>`)}
    </dl>
    <${Command} of=${envelope.detail.data} />
  `;
}

function Command({ of: { responseId, surveyId } }: { of: Heard["detail"]["data"] }): VNode | null {
  if (responseId === undefined) return null;
  const command = `${snapshot.value?.command} explain ${responseId} --survey ${surveyId} ${snapshot.value?.flags ?? ""}`;
  return html`<p class="row"><code class="cut">${command}</code><${Copy} text=${command} /></p>`;
}

const LOOKS = { waiting: "start", pause: "late", work: "work", moment: "proved" } as const;

function Bar({ one, from, whole }: { one: Span; from: number; whole: number }): VNode {
  const { name, said: words, kind } = one;
  const left = one.from === null ? 0 : (100 * (one.from - from)) / whole;
  const length = one.from === null || one.to === null ? 0 : one.to - one.from;
  const style = { left: `${Math.min(100 - LEAST, left)}%`, width: `${Math.max(LEAST, (100 * length) / whole)}%` };
  return html`
    <li class="grid">
      <b>${name}</b>
      ${one.from === null ? html`<span></span>` : html`<span class="track" title=${clock(one.from)}><i class=${`fill ${LOOKS[kind]}`} style=${style}></i></span>`}
      <span class="end">${length > 0 ? span(length) : ""}</span>
      ${words === "" ? null : html`<span class="quiet said">${words}</span>`}
    </li>
  `;
}

const language = signal<Language>("TypeScript");

function CodeTab({ envelope }: { envelope: Heard }): VNode {
  const text = handlerFor(language.value, envelope);
  return html`
    <div class="row wrap actions">
      <${Choice} label="Language" names=${LANGUAGES} chosen=${language} />
      <${Copy} text=${text} />
    </div>
    <pre class="mono code" tabindex="0" aria-label="Handler">${text}</pre>
    <p class="quiet">Types of the contract for other languages lie in <code>contract/</code> of the package.</p>
  `;
}

const pattern = signal<Pattern>({});
const isBegun = computed(() => Object.keys(pattern.value).length > 0);
const form = signal<Form>("JSON");
const matching = matchesOf(computed(() => (isBegun.value ? JSON.stringify(pattern.value) : "")));

function RuleTab({ envelope }: { envelope: Heard }): VNode {
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
