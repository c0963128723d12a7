const SCHEMES = ['http:', 'https:', 'mailto:', 'tel:']

/** Where a link leads, in characters that end no link in any dialect; undefined where it is none that people may be sent to. */
export function linkTarget(href: string): string | undefined {
  const written = href.trim()
  const address = URL.canParse(written) ? new URL(written) : undefined
  if (!address || !SCHEMES.includes(address.protocol)) return undefined
  // As it was written where that is harmless, because a person can read it.
  return /[\s<>"|`\\\p{Cc}\p{Cs}]/u.test(written)
    ? address.href.replace(/[\s<>"|`\\\p{Cc}]/gu, (character) => encodeURIComponent(character))
    : written
}
