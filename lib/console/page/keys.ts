import { go, place } from "./place.ts";
import { isDemo, snapshot } from "./server.ts";
import { isPaused, live, move, pause, rows } from "./stream.ts";
import { pull } from "./trouble.ts";

/** Everything can be done by the keyboard alone. */
export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
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
  });
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
  // What cannot be seen is not touched.
  if (place.peek().view === "ops" && key !== "/" && key !== "t") return false;
  const isTrouble = isDemo.peek() && (place.peek().panel === "trouble" || place.peek().event === "");
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
      if (place.peek().event === "") move(0);
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
      go({ panel: place.peek().panel === "trouble" && place.peek().view === "" ? "stream" : "trouble", view: "" });
      focusSoon(".knob");
      return true;
  }
  return false;
}
