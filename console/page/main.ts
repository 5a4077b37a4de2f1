import { effect } from "@preact/signals";
import { html } from "htm/preact";
import { render } from "preact";
import { App } from "./app.ts";
import { connect } from "./connection.ts";
import { listenToKeys } from "./keys.ts";
import { snapshot } from "./state.ts";
import { keepMatching } from "./stream-state.ts";
import { playScript } from "./trouble.ts";
import { verdict } from "./verdict.ts";

const page = document.getElementById("page");
if (page !== null) {
  page.replaceChildren();
  render(html`<${App} />`, page);
  void connect();
  listenToKeys();
  keepMatching();
  effect(() => {
    document.title = `${verdict.value.glyph} ${verdict.value.head} · ${snapshot.value?.flags ?? "survey-poller"}`;
  });
  void playScript();
}
