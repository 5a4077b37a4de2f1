import { effect, signal } from "@preact/signals";

// Everything that is chosen on the page stands in its address, so that a link shows the same.

export const TABS = { event: "Event", story: "Story", rule: "Rule", code: "Code" };
export type Tab = keyof typeof TABS;
/** The parts of a narrow page, one at a time. */
export const PANELS = { surveys: "Surveys", stream: "Events", event: "Event", trouble: "Trouble", strip: "Strip" };
export type Panel = keyof typeof PANELS;

const DEFAULT = {
  view: "" as "" | "ops",
  event: "",
  tab: "event" as Tab,
  survey: "",
  state: "",
  q: "",
  panel: "stream" as Panel,
  theme: "" as "light" | "dark" | "",
  zone: "local" as "utc" | "local",
  shadow: "" as "" | "open",
};
type Place = typeof DEFAULT;

export const place = signal<Place>(read());

export function go(changes: Partial<Place>): void {
  const before = place.peek();
  const { view = before.view, event = before.event } = changes;
  // What is opened can be left by the browser's own way back.
  if (view !== before.view || (event !== "") !== (before.event !== "")) history.pushState(null, "", location.href);
  place.value = { ...before, ...changes };
}

/** Troubles to be made in turn, as the address asks for. */
export const script: string[] = (new URLSearchParams(location.search).get("trouble") ?? "")
  .split(",")
  .filter((kind) => kind !== "");

function read(): Place {
  const given = new URLSearchParams(location.search);
  const chosen = Object.entries(DEFAULT).map(([name, value]) => [name, given.get(name) ?? value]);
  const one = Object.fromEntries(chosen) as Place;
  return {
    ...one,
    tab: Object.hasOwn(TABS, one.tab) ? one.tab : "event",
    panel: Object.hasOwn(PANELS, one.panel) ? one.panel : "stream",
  };
}

effect(() => {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(place.value)) {
    if (value !== DEFAULT[name as keyof Place]) given.set(name, value);
  }
  if (script.length > 0) given.set("trouble", script.join(","));
  const search = given.size > 0 ? `?${given}` : "";
  history.replaceState(null, "", `${location.pathname}${search}${location.hash}`);
  document.documentElement.style.colorScheme = place.value.theme;
});

addEventListener("popstate", () => {
  place.value = read();
});
