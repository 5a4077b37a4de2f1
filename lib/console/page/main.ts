import { effect } from "@preact/signals";
import { html } from "htm/preact";
import { render, type VNode } from "preact";
import { Books } from "./books.ts";
import { Drawer } from "./drawer.ts";
import { listenToKeys } from "./keys.ts";
import { Ops } from "./ops.ts";
import { go, PANELS, type Panel, place } from "./place.ts";
import { connect, isDemo, isSilent, snapshot } from "./server.ts";
import { Shadow } from "./shadow.ts";
import { Stream } from "./stream.ts";
import { Strip } from "./strip.ts";
import { Surveys } from "./surveys.ts";
import { playScript, Trouble } from "./trouble.ts";
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
            <nav class="panels row" aria-label="Parts of the page">
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
  listenToKeys();
  effect(() => {
    document.title = `${verdict.value.glyph} ${verdict.value.head} · ${snapshot.value?.flags ?? "survey-poller"}`;
  });
  void playScript();
}
