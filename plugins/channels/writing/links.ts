const SCHEMES = ['http:', 'https:', 'mailto:', 'tel:']

/** Returns the address of a link without characters that end a link in any dialect; undefined for other schemes. */
export function toLinkTarget(href: string): string | undefined {
  const written = href.trim()
  const address = URL.canParse(written) ? new URL(written) : undefined
  if (!address || !SCHEMES.includes(address.protocol)) return undefined
  // Keeps the written form if that is harmless, because people can read it.
  return /[\s<>"|`\\\p{Cc}\p{Cs}]/u.test(written)
    ? address.href.replace(/[\s<>"|`\\\p{Cc}]/gu, (character) => encodeURIComponent(character))
    : written
}
