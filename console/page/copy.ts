import { signal } from "@preact/signals";

/** Milliseconds for which a button says that it has copied. */
const SAYS = 1_500;
const copied = signal({ what: "", is: true });

export function copy(what: string, text: string): void {
  const say = (is: boolean): void => {
    copied.value = { what, is };
    setTimeout(() => {
      if (copied.peek().what === what) copied.value = { what: "", is: true };
    }, SAYS);
  };
  navigator.clipboard.writeText(text).then(
    () => say(true),
    () => say(false),
  );
}

/** The label of the button right after it was pressed. */
export function said(what: string): string | undefined {
  if (copied.value.what !== what) return undefined;
  return copied.value.is ? "Copied" : "Not copied";
}
