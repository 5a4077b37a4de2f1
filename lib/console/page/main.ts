import { effect } from "@preact/signals";
import { html } from "htm/preact";
import { render, type VNode } from "preact";
import { Books } from "./books.ts";
import { Drawer } from "./drawer.ts";
import { Ops } from "./ops.ts";
import { go, PANELS, type Panel, place } from "./place.ts";
import { connect, isDemo, isSilent, snapshot } from "./server.ts";
import { Shadow } from "./shadow.ts";
import { isPaused, live, move, pause, rows, Stream } from "./stream.ts";
import { Strip } from "./strip.ts";
import { Surveys } from "./surveys.ts";
import { playScript, pull, Trouble } from "./trouble.ts";
import { About, VerdictBar, verdict } from "./verdict.ts";

function App(): VNode {
  const { view, panel, event } = place.value;
  // On a wide page the event and the troubles take turns on the right.
  const right = event !== "" && panel !== "trouble" ? "event" : isDemo.value ? "trouble" : "event";
  const panels = (Object.keys(PANELS) as Panel[]).filter((name) => name !== "trouble" || isDemo.value);
  return html`
    <div class=${`app grid ${isSilent.value ? "silent" : ""}`} data-panel=${panel} data-right=${right}>
      <${About} />
      <${VerdictBar} />
      ${
        view === "ops"
          ? html`<${Ops} />`
          : html`
            <div class="top grid"><${Books} /><${Shadow} /></div>
            <nav class="panels row scroll" aria-label="Parts of the page">
              ${panels.map((name) => html`<button aria-pressed=${panel === name} onClick=${() => go({ panel: name })}>${PANELS[name]}</button>`)}
            </nav>
            <div class="columns grid">
              <${Surveys} /><${Stream} /><${Drawer} />${isDemo.value ? html`<${Trouble} />` : null}
            </div>
            <${Strip} />
          `
      }
    </div>
  `;
}

const page = document.getElementById("page");
if (page !== null) {
  page.replaceChildren();
  render(html`<${App} />`, page);
  void connect();
  addEventListener("keydown", onKey);
  effect(() => {
    document.title = `${verdict.value.glyph} ${verdict.value.head} · ${snapshot.value?.flags ?? "survey-poller"}`;
  });
  void playScript();
}

/** Everything can be done by the keyboard alone. */
function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  const isTyping = target instanceof HTMLInputElement;
  if (event.key === "Escape") {
    if (isTyping) target.blur();
    else go({ event: "", panel: "stream", shadow: "", view: "" });
    return;
  }
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  // A button that has the focus takes these itself.
  if ((event.key === " " || event.key === "Enter") && target instanceof HTMLButtonElement) return;
  if (press(event.key)) event.preventDefault();
}

/** Focuses at once what is in sight, and else what is about to be drawn. */
function focusSoon(selector: string): void {
  const focus = (): boolean => {
    const element = document.querySelector<HTMLElement>(selector);
    element?.focus();
    return element !== null && document.activeElement === element;
  };
  if (!focus()) requestAnimationFrame(() => requestAnimationFrame(focus));
}

function press(key: string): boolean {
  const { view, panel, event } = place.peek();
  // What cannot be seen is not touched.
  if (view === "ops" && key !== "/" && key !== "t") return false;
  const isTrouble = isDemo.peek() && (panel === "trouble" || event === "");
  const knob = snapshot.peek()?.troubles.find((one) => one.key === key);
  if (knob !== undefined && isTrouble) {
    void pull(knob.kind);
    return true;
  }
  switch (key) {
    case "j":
    case "ArrowDown":
    case "k":
    case "ArrowUp":
      move(key === "j" || key === "ArrowDown" ? 1 : -1);
      return true;
    case "Enter":
      if (event === "") move(0);
      go({ panel: "event" });
      focusSoon("#tab-body");
      return rows.peek().length > 0;
    case "/":
      go({ panel: "stream", view: "" });
      focusSoon("#filter");
      return true;
    case " ":
      if (isPaused.peek()) live();
      else pause();
      return true;
    case "t":
      if (!isDemo.peek()) return false;
      go({ panel: panel === "trouble" && view === "" ? "stream" : "trouble", view: "" });
      focusSoon(".knob");
      return true;
  }
  return false;
}
