import { effect, signal } from "@preact/signals";
import { html } from "htm/preact";
import type { VNode } from "preact";
import type { Heard } from "../../cli/hearing/event.ts";
import type { Span, Story } from "../story.ts";
import { handlerFor, LANGUAGES, type Language } from "./code.ts";
import { Choice, Copy, clock, span } from "./format.ts";
import { JsonView } from "./json-view.ts";
import { go, place, TABS, type Tab } from "./place.ts";
import { RuleTab } from "./rule-tab.ts";
import { act, isRefused, look, type Refused } from "./server.ts";
import { snapshot } from "./state.ts";

/** The event that is open, and whether what is personal in it can be seen. */
const opened = signal<{ id: string; envelope: Heard | null; isRevealed: boolean; error: string } | null>(null);
/** Null while it is being read. */
const story = signal<Story | Refused | null>(null);

effect(() => {
  const id = place.value.event;
  if (id === (opened.peek()?.id ?? "")) return;
  opened.value = id === "" ? null : { id, envelope: null, isRevealed: false, error: "" };
  story.value = null;
  if (id !== "") void load(id);
});

async function load(id: string): Promise<void> {
  void loadStory(id);
  const found = await look<Heard>(`/events/${encodeURIComponent(id)}`);
  if (opened.peek()?.id !== id) return;
  const [envelope, error] = isRefused(found) ? [null, found.error] : [found, ""];
  opened.value = { id, envelope, isRevealed: false, error };
}

/** Times that a story is asked for whose log is not written yet, and milliseconds between two. */
const TRIES = 6;
const AGAIN = 1_000;

/** Loads the story of an event. Its log may lie far away, and be written a moment later than the event is heard. */
async function loadStory(id: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const told = await look<Story>(`/stories/${encodeURIComponent(id)}`);
    if (opened.peek()?.id !== id) return;
    story.value = told;
    if (isRefused(told) || told.isWhole) return;
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
  }
}

async function toggleReveal(): Promise<void> {
  const before = opened.peek();
  if (before === null) return;
  if (before.isRevealed) return load(before.id);
  const envelope = await act<Heard>(`/reveal/${encodeURIComponent(before.id)}`);
  if (opened.peek()?.id !== before.id) return;
  opened.value = isRefused(envelope)
    ? { ...before, error: envelope.error }
    : { ...before, envelope, isRevealed: true, error: "" };
}

const NAMES: Readonly<Record<Tab, string>> = { event: "Event", story: "Story", rule: "Rule", code: "Code" };

export function Drawer(): VNode {
  const { tab } = place.value;
  const one = opened.value;
  return html`
    <section class="drawer panel" aria-label="Event" id="drawer">
      <div class="row">
        <div class="tabs row" role="tablist" aria-label="What of the event">
          ${TABS.map(
            (name) => html`
              <button role="tab" id=${`tab-${name}`} aria-selected=${name === tab} aria-controls="tab-body"
                tabindex=${name === tab ? 0 : -1} onKeyDown=${turn} onClick=${() => go({ tab: name })}>${NAMES[name]}</button>`,
          )}
        </div>
        <button class="close" aria-label="Close the event" aria-keyshortcuts="Escape" onClick=${() => go({ event: "", panel: "stream" })}>✕</button>
      </div>
      <div class="scroll" id="tab-body" role="tabpanel" aria-labelledby=${`tab-${tab}`} tabindex="0">
        ${
          one === null
            ? html`<p class="empty">Open an event of the stream: what it holds, how it came about, a rule that matches it, and code that handles it.</p>`
            : one.envelope === null
              ? html`<p class="empty">${one.error === "" ? "" : one.error}</p>`
              : html`<${Body} tab=${tab} envelope=${one.envelope} />`
        }
      </div>
    </section>
  `;
}

function turn(event: KeyboardEvent): void {
  const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (by === 0) return;
  const next = TABS[(TABS.indexOf(place.peek().tab) + by + TABS.length) % TABS.length] ?? "event";
  go({ tab: next });
  requestAnimationFrame(() => document.getElementById(`tab-${next}`)?.focus());
}

function Body({ tab, envelope }: { tab: Tab; envelope: Heard }): VNode {
  if (tab === "story") return html`<${StoryTab} />`;
  if (tab === "rule") return html`<${RuleTab} envelope=${envelope} />`;
  if (tab === "code") return html`<${CodeTab} envelope=${envelope} />`;
  const isRevealed = opened.value?.isRevealed === true;
  return html`
    <div class="row actions">
      <${Copy} what="event" label="Copy JSON" text=${JSON.stringify(envelope, null, 2)} />
      <${Copy} what="id" label="Copy event id" text=${envelope.detail.meta.eventId ?? ""} />
      <button aria-pressed=${isRevealed} onClick=${() => void toggleReveal()}>${isRevealed ? "Mask again" : "Reveal personal fields"}</button>
    </div>
    ${opened.value?.error ? html`<p class="late">${opened.value.error}</p>` : null}
    <${JsonView} value=${envelope} noteOf=${noteOf} />
  `;
}

/** Words beside ids, from what the event itself knows. */
function noteOf(path: readonly string[], value: unknown, parent: unknown): string | undefined {
  const name = path.at(-1);
  const data = opened.value?.envelope?.detail.data;
  if (name === "surveyId") return data?.survey?.name ?? undefined;
  const { question, labels, metricName } = (parent ?? {}) as {
    question?: { text?: string } | null;
    labels?: (string | null)[] | string | null;
    metricName?: string;
  };
  if (name === "questionId") return question?.text;
  if (name === "answer" && Array.isArray(labels)) return labels.map((label) => label ?? "?").join(", ");
  if (name === "metricId" && value !== null) return metricName;
  if (name === "eventId") return "the same for every delivery";
  return undefined;
}

/** The least width of a bar, in percent. */
const LEAST = 1.5;

function StoryTab(): VNode {
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
        : html`<p class="legend quiet"><i class="fill start"></i>waiting <i class="fill late"></i>left alone <i class="fill work"></i>at work
      <span>${span(whole)} in all; the service tells completion to the second</span></p>`
    }
    <dl class="facts">
      ${facts.map(([name, value]) => html`<div><dt class="quiet">${name}</dt><dd>${value}</dd></div>`)}
    </dl>
    <${Command} />
  `;
}

function Command(): VNode | null {
  const { responseId, surveyId } = opened.value?.envelope?.detail.data ?? {};
  if (responseId === undefined) return null;
  const command = `${snapshot.value?.command} explain ${responseId} --survey ${surveyId} ${snapshot.value?.flags ?? ""}`;
  return html`<p class="row"><code class="cut">${command}</code><${Copy} what="explain" text=${command} /></p>`;
}

const LOOKS = { waiting: "start", pause: "late", work: "work", moment: "proved" } as const;

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

const language = signal<Language>("TypeScript");

function choose(name: Language): void {
  language.value = name;
}

function CodeTab({ envelope }: { envelope: Heard }): VNode {
  const text = handlerFor(language.value, envelope);
  return html`
    <div class="row actions">
      <${Choice} label="Language" names=${LANGUAGES} chosen=${language.value} choose=${choose} />
      <${Copy} what="code" text=${text} />
    </div>
    <pre class="mono code" tabindex="0" aria-label="Handler">${text}</pre>
    <p class="quiet">Types of the contract for other languages lie in <code>contract/</code> of the package.</p>
  `;
}
