const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' }

/** Removes the marks from a text in Telegram's HTML. */
export const toPlainText = (html: string): string =>
  html
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/&(lt|gt|amp|quot|#\d{1,7}|#x[\da-f]{1,6});/gi, (whole, name: string) =>
      name.startsWith('#') ? fromNumber(name.slice(1), whole) : (ENTITIES[name.toLowerCase()] ?? whole),
    )

function fromNumber(digits: string, whole: string): string {
  const code = /^x/i.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number(digits)
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole
}
