/** The most characters of an address. */
const MAX_URL_CHARS = 2048

/**
 * Parses an address that another server names; undefined if it is too long, not of HTTP, or has credentials, with which
 * an address looks like another one, and which `fetch` refuses.
 */
export function parseHttpUrl(text: string, base?: string): URL | undefined {
  if (!URL.canParse(text, base)) return undefined
  const url = new URL(text, base)
  const isUsable =
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    url.href.length <= MAX_URL_CHARS
  return isUsable ? url : undefined
}
