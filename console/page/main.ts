import { html } from "htm/preact";
import { render } from "preact";
import { App } from "./app.ts";
import { connect } from "./connection.ts";
import { listenToKeys } from "./keys.ts";
import { keepMatching } from "./stream-state.ts";
import { playScript } from "./trouble.ts";

const page = document.getElementById("page");
if (page !== null) {
  page.replaceChildren();
  render(html`<${App} />`, page);
  connect();
  listenToKeys();
  keepMatching();
  void playScript();
}
