/**
 * The mistake in a base URL, in words that never repeat it: a URL may hold credentials. Plain http is for a service on the same machine
 * only, since the token travels in every request.
 */
export function baseUrlProblem(text: string): string | undefined {
  // A URL parser takes tabs and line ends out, and a backslash for a slash: what it reads is then not what is written.
  const isPlain = [...text].every((character) => character > " " && character !== "\\" && character !== "\x7f");
  if (!isPlain || !URL.canParse(text)) return "must be a URL such as https://surveys.example.com";
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return "must begin with https://";
  if (url.username !== "" || url.password !== "" || /^[^/]*\/\/[^/]*@/.test(text)) {
    return "must not hold credentials; they belong into the source's credentials secret";
  }
  if (url.search !== "" || url.hash !== "" || /[?#]/.test(text)) return "must not hold a query or a fragment";
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return "must begin with https://; http:// is accepted for 127.0.0.0/8, localhost and [::1] only";
  }
  return undefined;
}

/** One spelling for each service: lower-case host, no default port, no trailing slash. Takes only what `baseUrlProblem` accepts. */
export function normalBaseUrl(text: string): string {
  const url = new URL(text);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/** The URL parser has already turned every spelling of an IPv4 address (decimal, octal, short) into four numbers. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
