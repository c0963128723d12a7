/**
 * Resolves the address of a page of the console, as an absolute one. Anybody can write an address into a link to the
 * console, so each that leads elsewhere or to the API becomes that of the first page.
 */
export function toOwnPage(address: string): string {
  const first = new URL('/', location.origin)
  return (isOwnPage(address) ? new URL(address, first) : first).href
}

/** True unless a browser, or a reader that decodes the path first, would leave the origin. */
function isOwnPage(address: string): boolean {
  if (!/^\/[^\\\p{Cc}]*$/u.test(address) || !URL.canParse(address, location.origin)) return false
  const { origin, pathname } = new URL(address, location.origin)
  return origin === location.origin && !/^\/(\/|\\|%2f|%5c|api(\/|$))/i.test(pathname)
}
