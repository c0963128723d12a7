/** The words with which a browser finds a place on a page: at the place, and just before it. */
interface PlaceWords {
  start: string
  prefix?: string
}

/** The longest address that a source keeps. */
const MAX_ADDRESS_CHARS = 2048

/** Returns an address that opens a page at a place; the page alone if the place is unknown or the address too long. */
export function toPlaceAddress(page: string, anchor: PlaceWords | undefined): string {
  const { href } = Object.assign(new URL(page), { hash: '' })
  if (!anchor) return href
  const { start, prefix } = anchor
  const address = `${href}#:~:text=${prefix ? `${encode(prefix)}-,` : ''}${encode(start)}`
  return address.length > MAX_ADDRESS_CHARS ? href : address
}

/** Encodes a text; hyphens, commas and ampersands part a directive, which `encodeURIComponent` does for the latter two. */
const encode = (text: string) =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[-!'()*~]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
